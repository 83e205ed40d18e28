/* Fills and copies that the optimizer turns into block operations */
#include "check.h"
#define N 3000
double a[N], b[N], c[N]; static unsigned char bytes[N]; struct big { int v[500]; } big[3]; int n = N;
static void clear(int k) { for (int i = 0; i < k; ++i) a[i] = 0; for (int i = 0; i < k; ++i) bytes[i] = 7; }
static void copy(void) { for (int i = 0; i < n; ++i) b[i] = c[i]; big[1] = big[0]; big[2] = (struct big){{0}}; }
int main(void) {
  START();
  int r = golden_rank();
  for (int i = 0; i < N; ++i) { a[i] = 1; c[i] = r + i; } for (int i = 0; i < 500; ++i) big[0].v[i] = r + i; big[2].v[9] = 1; MEET(); clear(N); copy(); MEET();
  double s = 0; for (int i = 0; i < N; ++i) s += a[i] + b[i] + bytes[i]; CHECK(s == (double)N * r + N * (N - 1.0) / 2 + 7 * N && big[1].v[499] == r + 499 && big[2].v[9] == 0);
  VERDICT();
  return golden_bad;
}
