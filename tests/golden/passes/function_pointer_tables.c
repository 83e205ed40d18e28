/* Static arrays of function pointers and callbacks */
#include "check.h"
static int n; static void up(void) { n++; } static void down(void) { n--; } static void (*const steps[])(void) = {up, up, down}; static void each(void (*f)(void)) { f(); }
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k < 3; ++k) each(steps[k]); n += r; MEET(); CHECK(n == r + 1);
  VERDICT();
  return golden_bad;
}
