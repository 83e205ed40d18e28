/* Constants: shared where safe, private where they hold addresses */
#include "check.h"
static const int primes[] = {2, 3, 5}; const double pi = 3.25; const char *const names[] = {"a", "b"}; int x; int *const at = &x; static int *const table[2] = {&x, 0}; static const char text[] = "text"; const struct { const int *p; int n; } view = {primes, 3}; static const volatile int vol = 6;
int main(void) {
  START();
  int r = golden_rank();
  const double *q = &pi; x = r; MEET(); CHECK(primes[2] == 5 && *q == 3.25 && pi == *q && names[1][0] == 'b' && *at == r && *table[0] == r && text[3] == 't' && view.p[view.n - 1] == 5 && vol == 6 && sizeof text == 5);
  VERDICT();
  return golden_bad;
}
