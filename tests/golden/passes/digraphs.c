/* Digraphs and trigraphs */
// flags: -std=c99 -trigraphs
%:include "check.h"
static int table<:4:> = <% 1, 2, 3, 4 %>; int grid??(2??)??(3??);
??=define SECOND(a) ((a)<:1:>)
struct pair <% int a<:2:>; %> pairs<:2:>; static int *at = &table<:2:>;
int main(void) ??<
  START();
  int r = golden_rank();
  table<:r % 4:> = 10 + r; grid??(1??)??(2??) = r ??' 5; pairs<:1:>.a??(1??) = ??-r; SECOND(table) += 100; *at += 1000; MEET();
  CHECK(table[r % 4] == 10 + r + (r % 4 == 1 ? 100 : r % 4 == 2 ? 1000 : 0) && grid[1][2] == (r ^ 5) && pairs[1].a[1] == ~r);
  CHECK((r % 4 == 1 ??!??! table??(1??) == 102) && at == &table<:2:>);
  VERDICT();
  return golden_bad;
%>
