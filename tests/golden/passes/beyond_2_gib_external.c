/* An external array of more than 2 GiB, and pointers into it */
#include "check.h"
extern double big[]; double *pointers[2] = {big + 1, big + (300UL << 20)};
static double *middle(void) { return &big[200UL << 20]; }
int main(void) {
  START();
  int golden_bad = 0;  // hides the static one, which would lie behind the array, out of reach
  volatile unsigned long last = (400UL << 20) - 1; int r = golden_rank();
  CHECK(pointers[0] == &big[1]); pointers[0] = big; pointers[1] = big + last; *pointers[0] = r; *pointers[1] = r + 1; *middle() = r + 2; MEET(); CHECK(pointers[1] > middle());
  CHECK(big[0] == r && big[last] == r + 1 && big[200UL << 20] == r + 2 && big[1] == 0);
  VERDICT();
  return golden_bad;
}
double big[400UL << 20];
