/* Initializers with addresses of private data and of functions */
#include "check.h"
static int value = 5, *p = &value, **pp = &p; struct node { int v; struct node *next; } ring[3] = {{0, &ring[1]}, {1, &ring[2]}, {2, ring}}; static int inc(int x) { return x + 1; } int (*op)(int) = inc; char *mid = (char *)&ring[1] + 4; struct { int a, b; } ab, *b_at = (void *)&ab; int *member = &ab.b;
int main(void) {
  START();
  int r = golden_rank();
  CHECK(**pp == 5 && ring[2].next->next->v == 1 && op(r) == r + 1 && mid == (char *)&ring[1] + 4);
  **pp = r; ring[0].next->v = r; *member = r; MEET();
  CHECK(value == r && ring[1].v == r && ab.b == r && p == &value && pp == &p && (void *)b_at == (void *)&ab && ring[0].next == &ring[1]);
  VERDICT();
  return golden_bad;
}
