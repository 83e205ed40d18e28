/* Arrays in one and more dimensions; decay, elements, rows */
#include "check.h"
int one[5]; double two[3][4]; char three[2][3][4]; int sized[] = {1, 2, 3};
static int sum(const int *v, int n) { int s = 0; while (n--) s += *v++; return s; }
static double trace(double (*m)[4]) { return m[0][0] + m[1][1] + m[2][2]; }
int main(void) {
  START();
  int r = golden_rank();
  for (int i = 0; i < 5; ++i) one[i] = r + i;
  for (int i = 0; i < 3; ++i) for (int j = 0; j < 4; ++j) two[i][j] = r + 10 * i + j;
  three[1][2][3] = (char)r; 2[one] += 1; *sized = r; *(sized + 1) = r + 1; MEET();
  CHECK(sum(one, 5) == 5 * r + 11 && trace(two) == 3 * r + 33 && three[1][2][3] == r && three[0][2][3] == 0);
  CHECK(sized[0] == r && sized[1] == r + 1 && sized[2] == 3 && *(*(two + 1) + 2) == r + 12 && two[2] - two[0] == 8);
  CHECK(&one[2] - one == 2 && sizeof two == 12 * sizeof(double) && sizeof sized / sizeof *sized == 3);
  VERDICT();
  return golden_bad;
}
