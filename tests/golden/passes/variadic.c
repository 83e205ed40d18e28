/* Variable argument lists */
#include "check.h"
#include <stdarg.h>
va_list saved; int last; static int sum(int n, ...) { va_list ap; int s = 0; va_start(ap, n); va_copy(saved, ap); while (n--) s += va_arg(ap, int); va_end(ap); last = va_arg(saved, int); va_end(saved); return s; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(sum(3, r, 1, 2) == r + 3); MEET(); CHECK(last == r);
  VERDICT();
  return golden_bad;
}
