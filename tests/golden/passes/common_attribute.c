/* Variables with the attribute `common` */
#include "check.h"
int c __attribute__((common)); double table[10] __attribute__((common)); static int *where(void) { return &c; }
int main(void) {
  START();
  int r = golden_rank();
  c += r; table[r] = r; MEET(); CHECK(*where() == r && table[r] == r && table[r + 1] == 0);
  VERDICT();
  return golden_bad;
}
