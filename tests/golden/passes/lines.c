/* __LINE__, __FILE__, __func__ and #line keep their meaning */
#include "check.h"
#include <string.h>
static int where = __LINE__; static const char *f(void) { return __func__; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(where == 4 && __LINE__ == 8 && !strcmp(f(), "f") && !strcmp(__func__, "main") && strstr(__FILE__, "lines.c"));
#line 500 "other.y"
  CHECK(__LINE__ == 500 && !strcmp(__FILE__, "other.y"));
  VERDICT();
  return golden_bad;
}
