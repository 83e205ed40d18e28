/* External constant arrays and structures, subscripted */
#include "check.h"
struct entry { int id; double weight[3]; char name[8]; };
extern const int powers[4]; extern const struct entry entries[3], single; extern int *const slots[2];
int cells[2];
static int weigh(int k, int j) { return (int)entries[k].weight[j] + powers[j]; }
static const int *power(int k) { return &powers[k]; }
int main(void) {
  START();
  int r = golden_rank(), k = r % 3;
  *slots[k % 2] = 10 + r; MEET();
  CHECK(powers[k] == 1 << k && *power(3) == 8 && power(k) == powers + k && powers[2] == 4);
  CHECK(entries[k].id == k && entries[k].name[0] == 'a' + k && entries[2].weight[1] == 21 && weigh(k, 2) == 10 * k + 2 + 4);
  CHECK(single.weight[k] == k + .5 && single.id == 7 && single.name[k] == "one"[k]);
  CHECK(slots[k % 2] == &cells[k % 2] && cells[k % 2] == 10 + r && cells[1 - k % 2] == 0);
  VERDICT();
  return golden_bad;
}
const int powers[4] = {1, 2, 4, 8}; int *const slots[2] = {&cells[0], &cells[1]};
const struct entry entries[3] = {{0, {0, 1, 2}, "a"}, {1, {10, 11, 12}, "b"}, {2, {20, 21, 22}, "c"}}, single = {7, {.5, 1.5, 2.5}, "one"};
