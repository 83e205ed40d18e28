/* Alignment above a page's, of initialised variables and of zeros */
#include "check.h"
_Alignas(65536) int wide[3] = {1, 2, 3};
static _Alignas(32768) int zeros[3];
static int near = 7;
static unsigned long phase(const void *p, unsigned long alignment) { return (unsigned long)p % alignment; }
int main(void) {
  START();
  int r = golden_rank();
  wide[2] += r;
  zeros[1] = r;
  near += r;
  MEET();
  CHECK(wide[0] == 1 && wide[2] == 3 + r && zeros[1] == r && near == 7 + r);
  CHECK(phase(wide, 65536) == 0 && phase(zeros, 32768) == 0);
  VERDICT();
  return golden_bad;
}
