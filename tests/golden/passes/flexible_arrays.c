/* Flexible array members initialised statically */
#include "check.h"
struct flex { int n; int v[]; } flex = {3, {1, 2, 3}}; static struct flex empty = {0};
int main(void) {
  START();
  int r = golden_rank();
  flex.v[1] = r; MEET(); CHECK(flex.n == 3 && flex.v[0] == 1 && flex.v[1] == r && flex.v[2] == 3 && empty.n == 0);
  VERDICT();
  return golden_bad;
}
