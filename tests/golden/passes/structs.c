/* Structures: members, assignment, passing, returning, nesting */
#include "check.h"
struct point { int x, y; }; struct line { struct point a, b; char name[40]; } line = {{1, 2}, {3, 4}, "line"}, other; struct point origin;
static struct point mirror(struct point p) { struct point q = {p.y, p.x}; return q; }
static int length(struct line l) { return l.b.x - l.a.x; }
int main(void) {
  START();
  int r = golden_rank();
  line.b.x += r; other = line; origin = mirror(line.b); struct line copy = other; MEET();
  CHECK(length(line) == 2 + r && copy.b.x == 3 + r && origin.y == 3 + r && origin.x == 4 && other.name[0] == 'l');
  other.a = origin; line = other; struct point *p = &line.a; p->x = r; MEET(); CHECK(line.a.x == r && line.a.y == 3 + r);
  VERDICT();
  return golden_bad;
}
