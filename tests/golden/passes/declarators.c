/* Several declarators in one declaration */
#include "check.h"
int a = 1, *p = &a, b[2] = {3, 4}, (*q)[2] = &b, (*f)(int), *g[2] = {&a, &b[1]}, c;
static int twice(int x) { return 2 * x; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(*p == 1 && (*q)[1] == 4 && *g[1] == 4 && p == g[0]);
  f = twice; *p = r; (*q)[0] = r + 1; *g[1] = r + 2; c = f(r); MEET();
  CHECK(a == r && b[0] == r + 1 && b[1] == r + 2 && c == 2 * r);
  VERDICT();
  return golden_bad;
}
