/* File-scope `static` variable */
#include "check.h"
static int counter; static double table[3] = {1, 2, 3};
static int next(void) { return ++counter; }
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k <= r; ++k) next();
  table[1] = r; MEET();
  CHECK(counter == r + 1 && table[0] == 1 && table[1] == r && table[2] == 3);
  VERDICT();
  return golden_bad;
}
