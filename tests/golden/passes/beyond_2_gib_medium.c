/* Static arrays of more than 2 GiB between other variables, in the medium code model */
// flags: -mcmodel=medium
#include "check.h"
static int before = 1; static char big[3UL << 30]; static int between; char other[3UL << 30]; int after; static double initialised = 2;
int main(void) {
  START();
  volatile unsigned long last = sizeof big - 1; int r = golden_rank();
  big[0] = other[last] = (char)(r + 1); big[last] = other[0] = (char)(r + 2); before += r; between = r; after = r; initialised += r; MEET();
  CHECK(big[0] == r + 1 && big[last] == r + 2 && other[0] == r + 2 && other[last] == r + 1);
  CHECK(before == r + 1 && between == r && after == r && initialised == r + 2);
  VERDICT();
  return golden_bad;
}
