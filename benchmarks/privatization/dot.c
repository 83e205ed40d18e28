/* Scalar product of global arrays, summed up in a global. */
enum { N = 20000 };
static double x[N], y[N];
double sum;
__attribute__((noinline)) void kernel(void) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    sum = 0;
    for (int i = 0; i < N; ++i) sum += x[i] * y[i];
  }
}
int main(void) {
  for (int i = 0; i < N; ++i) x[i] = 1, y[i] = 2;
  kernel();
  return sum != 2.0 * N;
}
