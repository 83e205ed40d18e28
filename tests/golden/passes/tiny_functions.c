/* Functions of a byte or two behind one another */
// flags: -Os
#include "check.h"
int n; void nothing(void) {} __attribute__((noinline)) int labelled(int x) { __asm__ volatile("mpisim_tiny_label:"); return x + n; } void nothing_more(void) {} int zero(void) { return 0; } void (*volatile calls[])(void) = {nothing, nothing_more};
int main(void) {
  START();
  n = golden_rank(); calls[0](); calls[1](); MEET(); CHECK(labelled(2) == 2 + golden_rank() && zero() == 0);
  VERDICT();
  return golden_bad;
}
