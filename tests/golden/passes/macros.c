/* Variables declared and used through macros */
#include "check.h"
#define COUNTER(name) static long name##_count = 0
#define BUMP(name) (name##_count++)
#define SWAP(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
COUNTER(loop); int left = 1, right = 2;
#define WHICH(k) ((k) ? left : right)
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k < r + 2; ++k) BUMP(loop);
  SWAP(left, right); left += r; MEET(); CHECK(loop_count == r + 2 && left == 2 + r && right == 1 && WHICH(1) == 2 + r);
  VERDICT();
  return golden_bad;
}
