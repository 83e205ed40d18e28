/* Anonymous structures and unions, also in array declarations */
#include "check.h"
struct { int k; const char *v; } map[] = {{1, "one"}, {2, "two"}}, *where = map + 1; struct outer { struct { int in; union { int p; float q; }; }; } o; static enum { RED, GREEN } color = GREEN, *ink = &color;
int main(void) {
  START();
  int r = golden_rank();
  where->k = r; o.in = r; o.p = r + 1; *ink = r & 1 ? RED : GREEN; MEET();
  CHECK(map[1].k == r && map[1].v[0] == 't' && o.in == r && o.p == r + 1 && color == (r & 1 ? RED : GREEN));
  VERDICT();
  return golden_bad;
}
