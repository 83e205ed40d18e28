/* Large zeroed arrays take no room in the file */
#include "check.h"
double big[4][1000000]; int zero[1000] = {0}; struct { int a; double d[1000]; } z = {0, {0.0}};
int main(void) {
  START();
  int r = golden_rank();
  big[3][999999] = r; zero[999] = r; z.d[7] = r; MEET(); CHECK(big[3][999999] == r && big[0][0] == 0 && zero[999] == r && z.d[7] == r);
  VERDICT();
  return golden_bad;
}
