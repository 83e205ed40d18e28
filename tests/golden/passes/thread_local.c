/* _Thread_local and __thread variables (a rank is one thread) */
#include "check.h"
_Thread_local int t = 4; static __thread int s; extern __thread int t;
static int *get(void) { static _Thread_local int u = 8; return &u; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(t == 4 && *get() == 8); t = r; s = r + 1; *get() += r; int *p = &t; MEET(); CHECK(*p == r && t == r && s == r + 1 && *get() == 8 + r);
  VERDICT();
  return golden_bad;
}
