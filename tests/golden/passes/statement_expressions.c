/* Statement expressions */
#include "check.h"
int x, y = 2;
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
int main(void) {
  START();
  int r = golden_rank();
  x = r; int z = ({ static int s; s += x; s + y; }); MEET(); CHECK(z == r + 2 && MAX(x, y) == (r > 2 ? r : 2) && MAX(y, 1) == 2); __auto_type w = x; __auto_type p = &x; CHECK(w == r && *p == r);
  VERDICT();
  return golden_bad;
}
