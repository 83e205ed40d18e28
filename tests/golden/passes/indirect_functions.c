/* Functions that are chosen when the program is loaded (ifunc, target_clones), and what the processor can do */
#include "check.h"
static int state; static int one(int x) { state += x; return state; } static int (*resolve(void))(int) { return one; } int chosen(int) __attribute__((ifunc("resolve"))); __attribute__((target_clones("avx2", "default"))) int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int main(void) {
  START();
  int r = golden_rank(), a[] = {1, 2, 3, r};
  chosen(r); MEET(); CHECK(chosen(1) == r + 1 && sum(a, 4) == 6 + r); __builtin_cpu_init(); CHECK(__builtin_cpu_supports("sse2"));
  VERDICT();
  return golden_bad;
}
