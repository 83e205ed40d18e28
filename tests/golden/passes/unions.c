/* Unions */
#include "check.h"
union { int i; unsigned char b[4]; float f; } u = {.b = {1, 2, 3, 4}}; union pair { long l; struct { int lo, hi; }; } pair;
int main(void) {
  START();
  int r = golden_rank();
  CHECK(u.i == 0x04030201); u.i = r; pair.lo = r; pair.hi = 1; MEET(); CHECK(u.b[0] == r && pair.l == (1L << 32) + r);
  VERDICT();
  return golden_bad;
}
