/* Initializers over several lines, with comments and preprocessor directives inside */
#include "check.h"
struct row { int id; /* one */ const char *name; int *slot; }; static int slots[3];
static struct row rows[] = {
  {1, "one",   &slots[0]},  // first

#if 1
  {2, "two",
   &slots[1]},
#endif









  {3, "three", slots + 2},
};
static int line = __LINE__, *list[] = {
  &slots[0], (int[]){
    1,
    2 }, &slots[1] }; static int after = __LINE__;
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k < 3; ++k) *rows[k].slot = r + k; list[1][1] += r; MEET(); CHECK(slots[0] == r && slots[2] == r + 2 && line == 22 && after == 25 && list[1][1] == 2 + r && list[1][0] == 1 && *list[2] == r + 1);
  VERDICT();
  return golden_bad;
}
