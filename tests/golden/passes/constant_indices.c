/* Elements with constant indices, read and written */
#include "check.h"
double grid[4][8]; struct { int a[3]; struct { short z[3][4]; } y[2]; } s, ss[3];
int main(void) {
  START();
  int r = golden_rank();
  grid[3][7] = r; s.a[2] = r + 1; s.y[1].z[2][3] = (short)(r + 2); ss[2].y[1].z[1][1] = (short)(r + 3); ss[1].a[0] = r + 4; MEET();
  CHECK(grid[3][7] == r && s.a[2] == r + 1 && s.y[1].z[2][3] == r + 2 && ss[2].y[1].z[1][1] == r + 3 && ss[1].a[0] == r + 4);
  VERDICT();
  return golden_bad;
}
