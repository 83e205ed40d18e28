/* Comma, conditional and other operators around private variables */
#include "check.h"
int a = 1, b = 2, arr[3] = {1, 2, 3}; struct t { int v[3]; } s1 = {{1, 2, 3}}, s2 = {{4, 5, 6}}; static struct t get(void) { return s2; }
int main(void) {
  START();
  int r = golden_rank();
  a = r; *(r & 1 ? &a : &b) += 10; b = (a++, a + b); int k = 1; arr[k ? 2 : 0] = r; MEET(); CHECK((r & 1 ? s1 : s2).v[1] == (r & 1 ? 2 : 5) && get().v[2] == 6 && arr[2] == r && (r & 1 ? a == r + 11 : a == r + 1) && -a + !b + ~a + (a ? : b) == -a + !b - 1); (void)a; CHECK((&s1)->v[0] == 1 && (*&a) == a && (&arr[1])[1] == r && &*arr == arr);
  VERDICT();
  return golden_bad;
}
