/* Local names that hide private ones */
#include "check.h"
int x = 1, y = 2;
static int f(int x) { int y = x; { extern int y; (void)y; } return x + y; }
int main(void) {
  START();
  int r = golden_rank();
  struct x { int x; } v = {r}; x: { int y = 5; CHECK(y + v.x == 5 + r); } if (0) goto x; for (int x = 0; x < 2; ++x) y += x; MEET(); CHECK(f(3) == 6 && y == 3 && x == 1);
  VERDICT();
  return golden_bad;
}
