/* setjmp and longjmp with a private buffer */
#include "check.h"
#include <setjmp.h>
static jmp_buf env; volatile int count;
int main(void) {
  START();
  int r = golden_rank();
  if (setjmp(env) < 3) { count++; longjmp(env, count); } MEET(); CHECK(count == 3); (void)r;
  VERDICT();
  return golden_bad;
}
