/* K&R functions and implicit int */
#include "check.h"
int total; add(a, b) int a; char b; { total += a + b; return total; }
int main(void) {
  START();
  int r = golden_rank();
  add(r, 1); MEET(); CHECK(add(0, 1) == r + 2 && total == r + 2);
  VERDICT();
  return golden_bad;
}
