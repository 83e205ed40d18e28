/* Weak variables and aliases */
#include "check.h"
int original = 3; extern int second __attribute__((alias("original"))); __attribute__((weak)) int may_be = 6; extern int nowhere __attribute__((weak)); static int f(void) { return original; } int g(void) __attribute__((alias("f")));
int main(void) {
  START();
  int r = golden_rank();
  original = r; may_be += r; MEET(); CHECK(second == r && &second == &original && may_be == 6 + r && &nowhere == 0 && g() == r);
  VERDICT();
  return golden_bad;
}
