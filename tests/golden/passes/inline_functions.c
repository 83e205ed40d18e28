/* Statics in inline functions */
#include "check.h"
static inline int tick(void) { static int t; return ++t; }
inline int shared(void) { return 5; } extern inline int shared(void); int level; inline __attribute__((gnu_inline, always_inline)) extern int peek(void) { return level; }
int main(void) {
  START();
  int r = golden_rank();
  tick(); level = r; MEET(); CHECK(tick() == 2 && shared() == 5 && peek() == r);
  VERDICT();
  return golden_bad;
}
