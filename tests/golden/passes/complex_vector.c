/* Complex numbers and vectors */
#include "check.h"
double _Complex z = 1; typedef float v4 __attribute__((vector_size(16))); v4 v = {1, 2, 3, 4}, w; float _Complex zs[2];
int main(void) {
  START();
  int r = golden_rank();
  z += r; z *= z; __real__ zs[1] = (float)r; w = v + v; v[1] = (float)r; MEET(); CHECK(__real__ z == (1.0 + r) * (1 + r) && __imag__ z == 0 && __real__ zs[1] == r && w[3] == 8 && v[1] == r);
  VERDICT();
  return golden_bad;
}
