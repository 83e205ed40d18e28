/* volatile and _Atomic variables */
#include "check.h"
#include <stdatomic.h>
volatile int v = 1; volatile int *volatile vp = &v; static _Atomic int a; atomic_long al = 5; _Atomic(int) arr[3]; atomic_flag flag = ATOMIC_FLAG_INIT;
int main(void) {
  START();
  int r = golden_rank();
  v += r; a = r; a++; a += 2; al--; arr[1] = r; MEET(); CHECK(*vp == 1 + r && a == r + 3 && al == 4 && arr[1] == r);
  CHECK(atomic_fetch_add(&a, 1) == r + 3 && atomic_load(&a) == r + 4 && __sync_add_and_fetch(&v, 2) == r + 3 && !atomic_flag_test_and_set(&flag));
  int want = r + 4; CHECK(atomic_compare_exchange_strong(&a, &want, 7)); __atomic_store_n(&v, r, __ATOMIC_SEQ_CST); atomic_store(&al, 9); MEET(); CHECK(a == 7 && v == r && al == 9);
  VERDICT();
  return golden_bad;
}
