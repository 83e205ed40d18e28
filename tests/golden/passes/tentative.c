/* Tentative definitions */
#include "check.h"
int x; int x; extern int x; int x = 4; int y; int y; static int z; static int z;
int main(void) {
  START();
  int r = golden_rank();
  CHECK(x == 4 && y == 0 && z == 0); x += r; y = r; z = -r; MEET(); CHECK(x == 4 + r && y == r && z == -r);
  VERDICT();
  return golden_bad;
}
