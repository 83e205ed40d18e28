/* Compound literals at file scope and in functions */
#include "check.h"
struct p { int x, y; }; struct p *at = &(struct p){1, 2}; int *list = (int[]){3, 4, 5}; const char **names = (const char *[]){"a",
  "b"}; struct q { struct p *p; int *v; } nest = {&(struct p){6, 7}, (int[2]){8, 9}}; struct q *deep = &(struct q){.p = &(struct p){10, 11}};
int line_after = __LINE__; static struct p value = (struct p){12, 13};
int main(void) {
  START();
  int r = golden_rank();
  CHECK(at->y == 2 && list[2] == 5 && names[1][0] == 'b' && nest.p->x == 6 && nest.v[1] == 9 && deep->p->y == 11 && line_after == 5 && value.x == 12);
  at->x = r; list[0] = r; nest.v[0] = r; deep->p->x = r; names[0] = names[1]; MEET();
  CHECK(at->x == r && list[0] == r && nest.v[0] == r && deep->p->x == r && names[0][0] == 'b');
  struct p *local = &(struct p){r, list[1]}; CHECK(local->x == r && local->y == 4);
  VERDICT();
  return golden_bad;
}
