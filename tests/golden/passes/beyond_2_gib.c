/* A static array of more than 2 GiB */
#include "check.h"
static char big[3UL << 30];
int main(void) {
  START();
  int golden_bad = 0;  // hides the static one, which would lie behind the array, out of reach
  volatile unsigned long last = sizeof big - 1; int r = golden_rank();
  big[0] = (char)(r + 1); big[last] = (char)(r + 2); MEET(); CHECK(big[0] == r + 1 && big[last] == r + 2 && big[last / 2] == 0);
  VERDICT();
  return golden_bad;
}
