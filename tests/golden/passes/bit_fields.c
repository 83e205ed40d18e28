/* Bit-fields */
#include "check.h"
struct { unsigned a : 3; signed b : 5; unsigned : 0; unsigned long c : 40; } f = {5, -3, 1}; static struct { _Bool on : 1; unsigned n : 7; } g;
int main(void) {
  START();
  int r = golden_rank();
  CHECK(f.a == 5 && f.b == -3); f.a = r & 7; f.b -= 2; f.c += r; f.c <<= 20; g.on = r & 1; g.n++; MEET();
  CHECK(f.a == (unsigned)(r & 7) && f.b == -5 && f.c == (unsigned long)(1 + r) << 20 && g.on == (r & 1) && g.n == 1);
  VERDICT();
  return golden_bad;
}
