/* A static pointer that nothing changes (its initial value must not be folded into the code) */
#include "check.h"
static int target; static int *const fixed = &target; static int *loose = &target; int *const global_fixed = &target; static const struct { int *p; } box = {&target}; const struct { int *p[2]; } boxes[2] = {{{&target, 0}}, {{0, &target}}};
int main(void) {
  START();
  int r = golden_rank();
  target = r; MEET(); CHECK(*fixed == r && *loose == r && *global_fixed == r && *box.p == r && *boxes[1].p[1] == r && fixed == &target && box.p == loose && boxes[0].p[0] == &target);
  VERDICT();
  return golden_bad;
}
