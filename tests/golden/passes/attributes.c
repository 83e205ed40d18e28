/* Constructors, aligned, packed, used, cleanup */
#include "check.h"
int early; __attribute__((constructor)) static void before(void) { early = 5; } struct __attribute__((packed)) packed { char c; int n; } packed; int wide __attribute__((aligned(128))) = 1; static int kept __attribute__((used)) = 2; static int closed; static void close_it(int *p) { closed += *p; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(early == 5 && ((unsigned long)&wide & 127) == 0 && kept == 2); { __attribute__((cleanup(close_it))) int h = r; (void)h; } packed.n = r; early += r; MEET(); CHECK(closed == r && packed.n == r && early == 5 + r);
  VERDICT();
  return golden_bad;
}
