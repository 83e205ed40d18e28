/* Function-static variable */
#include "check.h"
static int id(void) { static int last = 100; return last++; }
static int *address(void) { static int cell; return &cell; }
int main(void) {
  START();
  int r = golden_rank();
  CHECK(id() == 100); MEET(); CHECK(id() == 101);
  *address() = r; MEET(); CHECK(*address() == r);
  VERDICT();
  return golden_bad;
}
