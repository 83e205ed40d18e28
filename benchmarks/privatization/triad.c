/* STREAM triad over global arrays. */
enum { N = 20000 };
double a[N], b[N], c[N], factor = 3.0;
__attribute__((noinline)) void kernel(void) {
  for (int repeat = 0; repeat < 50; ++repeat)
    for (int i = 0; i < N; ++i) a[i] = b[i] + factor * c[i];
}
int main(void) {
  for (int i = 0; i < N; ++i) b[i] = i, c[i] = 2 * i;
  kernel();
  return a[10] != 70;
}
