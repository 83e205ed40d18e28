/* A switch that selects addresses of static variables (compilers make a lookup table of it) */
#include "check.h"
static int red = 1, green = 2, blue = 3, black; static double row[4]; int outside = 5;
static int *colour(int k) { switch (k) { case 0: return &red; case 1: return &green; case 2: return &blue; case 3: return &outside; case 4: return &black; } return 0; }
static double *element(int k) { switch (k) { case 0: return &row[3]; case 1: return &row[0]; case 2: return &row[2]; case 3: return &row[1]; default: return row; } }
static const char *name(int *p) { return p == &red ? "red" : p == &green ? "green" : "another"; }
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k < 5; ++k) *colour((k + r) % 5) += 10 * r + k;
  for (int k = 0; k < 4; ++k) *element(k) = r + k;
  MEET();
  int sum = 0; for (int k = 0; k < 5; ++k) sum += *colour(k);
  CHECK(sum == 11 + 50 * r + 10 && *colour(r % 5) - (r % 5 == 4 ? 0 : r % 5 == 3 ? 5 : r % 5 + 1) == 10 * r && colour(5) == 0);
  CHECK(row[3] == r && row[0] == r + 1 && row[2] == r + 2 && row[1] == r + 3 && element(9) == row && name(colour(1))[0] == 'g');
  VERDICT();
  return golden_bad;
}
