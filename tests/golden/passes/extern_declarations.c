/* `extern` at file scope, in functions, before and after the definition */
#include "check.h"
extern int later; extern double list[];
static int get(void) { extern int later; return later; }
static double *end(void) { return list + 3; }
int later = 9; double list[4] = {1, 2, 3, 4};
int main(void) {
  START();
  int r = golden_rank();
  CHECK(get() == 9 && *end() == 4); later = r; list[3] = r; MEET(); CHECK(get() == r && *end() == r && end() - list == 3);
  VERDICT();
  return golden_bad;
}
