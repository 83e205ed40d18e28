/* Scalar code over global state: counters, a histogram, a small state machine, small functions. */
enum { N = 200000 };
static int histogram[64], state;
static unsigned random_state = 7;
long transitions, total;
struct limits { int low, high; } limits = {5, 50};
static unsigned next(void) { return random_state = random_state * 1664525u + 1013904223u; }
static int clamp(int v) { return v < limits.low ? limits.low : v > limits.high ? limits.high : v; }
__attribute__((noinline)) void kernel(void) {
  for (int i = 0; i < N; ++i) {
    const int v = clamp((int)(next() >> 26));
    histogram[v]++;
    total += v;
    switch (state) {
      case 0: if (v > 30) state = 1; break;
      case 1: if (v > 40) state = 2; else if (v < 10) state = 0; break;
      default: state = 0; transitions++;
    }
  }
}
int main(void) {
  kernel();
  return total == 0 || transitions == 0;
}
