/* File-scope variable of each arithmetic type */
#include "check.h"
int i = 7; unsigned char c = 1; short s; long l = -5; long long ll; float f = 1.5f; double d; _Bool b; long double ld = 2; __int128 wide = 3;
int main(void) {
  START();
  int r = golden_rank();
  CHECK(i == 7 && c == 1 && s == 0 && l == -5 && f == 1.5f && ld == 2 && wide == 3 && !b);
  i = r; c = (unsigned char)(r + 1); s = (short)-r; l += r; ll = 1LL << (20 + r); f *= r; d = r / 2.0; b = r & 1; ld += r; wide *= r + 1;
  MEET();
  CHECK(i == r && c == r + 1 && s == -r && l == r - 5 && ll == 1LL << (20 + r) && f == 1.5f * r && d == r / 2.0);
  CHECK(b == (r & 1) && ld == 2 + r && wide == 3 * (r + 1));
  i++; ++i; i--; --c; i <<= 1; i |= 1; i ^= 3; i %= 1000; MEET();
  CHECK(i == ((((r + 1) << 1) | 1) ^ 3) && c == r);
  VERDICT();
  return golden_bad;
}
