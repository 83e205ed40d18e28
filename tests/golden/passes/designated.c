/* Designated initializers, also with addresses and ranges */
#include "check.h"
int cell = 3; int sparse[10] = {[2] = 5, [7 ... 9] = 6}; struct { int *p; int v[3]; const char *s; } d = {.s = "x", .v[1] = 4, .p = &sparse[2]}; int *links[4] = {[1] = &cell, [3] = sparse + 8};
int main(void) {
  START();
  int r = golden_rank();
  CHECK(*d.p == 5 && d.v[1] == 4 && *links[1] == 3 && *links[3] == 6 && links[0] == 0);
  *d.p = r; *links[1] = r + 1; *links[3] = r + 2; MEET(); CHECK(sparse[2] == r && cell == r + 1 && sparse[8] == r + 2);
  VERDICT();
  return golden_bad;
}
