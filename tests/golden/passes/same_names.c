/* Function-statics of the same name */
#include "check.h"
static int f(void) { static int n = 1; return n++; }
static int g(void) { static int n = 10; { static int n = 20; n += 2; if (n > 100) return n; } return n++; }
int main(void) {
  START();
  int r = golden_rank();
  f(); f(); g(); MEET(); CHECK(f() == 3 && g() == 11);
  VERDICT();
  return golden_bad;
}
