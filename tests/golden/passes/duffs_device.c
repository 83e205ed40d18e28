/* Jumps into loops */
#include "check.h"
static int out[20], pos; static void put(int v) { out[pos++] = v; }
int main(void) {
  START();
  int r = golden_rank();
  int n = 7, k = 0; switch (n % 4) { case 0: do { put(k++); case 3: put(k++); case 2: put(k++); case 1: put(k++); } while (k < n); } MEET(); CHECK(pos == 7 && out[6] == 6); (void)r;
  VERDICT();
  return golden_bad;
}
