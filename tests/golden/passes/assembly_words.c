/* Assembly whose instructions and comments have the names of private variables */
#include "check.h"
static int lock = 1, add, pause;
int main(void) {
  START();
  int old = 1; lock = golden_rank(); MEET();
  __asm__ volatile("lock; xaddl %0,%1" : "+r"(old), "+m"(lock)); __asm__("addl $1,%0 # add one" : "+r"(old)); __asm__ volatile("pause");
  CHECK(lock == golden_rank() + 1 && old == golden_rank() + 1 && add == 0 && pause == 0);
  VERDICT();
  return golden_bad;
}
