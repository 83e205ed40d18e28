/* Pointers to arrays and to functions */
#include "check.h"
double m[3][4]; double (*row)[4] = &m[1], (*whole)[3][4] = &m; static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static int (*ops[])(int, int) = {add, sub}; int (*(*chooser)(int))(int, int); static int (*choose(int k))(int, int) { return ops[k]; }
int main(void) {
  START();
  int r = golden_rank();
  (*row)[2] = r; (*whole)[2][3] = r + 1; chooser = choose; if (r & 1) ops[0] = sub; MEET();
  CHECK(m[1][2] == r && m[2][3] == r + 1 && chooser(0)(5, 3) == (r & 1 ? 2 : 8) && (*ops[1])(r, 1) == r - 1);
  VERDICT();
  return golden_bad;
}
