/* Addresses given to the C library */
#include "check.h"
#include <string.h>
#include <stdlib.h>
int n; char line[40]; struct rec { int k; char t[12]; } recs[4], one; static int order(const void *a, const void *b) { return ((const struct rec *)a)->k - ((const struct rec *)b)->k; } double parsed; static char *rest;
int main(void) {
  START();
  int r = golden_rank();
  sprintf(line, "%d %d", r, r + 1); sscanf(line, "%d", &n); for (int k = 0; k < 4; ++k) { recs[k].k = r - k; sprintf(recs[k].t, "t%d", k); } qsort(recs, 4, sizeof *recs, order); memcpy(&one, &recs[1], sizeof one); memset(recs[3].t, 'x', 3); parsed = strtod("2.5z", &rest); MEET();
  CHECK(n == r && recs[0].k == r - 3 && !strcmp(one.t, "t2") && recs[3].t[1] == 'x' && parsed == 2.5 && *rest == 'z' && strlen(line) >= 3 && bsearch(&one, recs, 4, sizeof one, order) == &recs[1]);
  VERDICT();
  return golden_bad;
}
