/* Variable length arrays sized by private variables */
#include "check.h"
int n = 3; static int rows = 2;
static int total(int k, int a[k][n]) { int t = 0; for (int i = 0; i < k; ++i) for (int j = 0; j < n; ++j) t += a[i][j]; return t; }
int main(void) {
  START();
  int r = golden_rank();
  n = 3 + r; MEET(); int a[rows][n]; for (int i = 0; i < rows; ++i) for (int j = 0; j < n; ++j) a[i][j] = r;
  CHECK(sizeof a == 2 * (3 + r) * sizeof(int) && total(rows, a) == 2 * (3 + r) * r); int (*p)[n] = a; CHECK(sizeof *p == (3 + r) * sizeof(int));
  __typeof__(a) b; b[1][n - 1] = 1; CHECK(sizeof b == sizeof a && b[1][2 + r] == 1);
  VERDICT();
  return golden_bad;
}
