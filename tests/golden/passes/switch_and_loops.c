/* Control flow on private variables */
#include "check.h"
enum { IDLE, RUN, STOP } state; int i, steps;
int main(void) {
  START();
  int r = golden_rank();
  for (i = 0; i < 5 + r; i++) { switch (state) { case IDLE: state = RUN; break; case RUN: if (++steps == 3) state = STOP; break; default: continue; } } while (i --> 0) if (i == r) break; do { steps += 2; } while (steps < 20); MEET(); CHECK(state == STOP && i == r && steps == 21);
  VERDICT();
  return golden_bad;
}
