/* sizeof, typeof, _Alignof, offsetof and _Generic of private variables */
#include "check.h"
#include <stddef.h>
double v[7]; struct s { char c; int n[4]; } s; _Alignas(64) char aligned[10];
static __typeof__(v) copy; __typeof__(s.n[0]) elem; enum { N = sizeof v / sizeof v[0] }; char bytes[sizeof(struct s)];
_Static_assert(sizeof s.n == 16, "size");
int main(void) {
  START();
  int r = golden_rank();
  __typeof__(v) local; local[6] = r; __typeof__(&v[0]) p = v; copy[0] = r; elem = r; p[1] = r; MEET();
  CHECK(N == 7 && sizeof bytes == sizeof s && offsetof(struct s, n) == 4 && _Alignof(aligned) == 64 && ((unsigned long)aligned & 63) == 0);
  CHECK(_Generic(v[0], double: 1, default: 0) && _Generic(s.n[1], int: 1, default: 0) && v[1] == r && copy[0] == r && elem == r && local[6] == r);
  VERDICT();
  return golden_bad;
}
