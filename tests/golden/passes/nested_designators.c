/* Deep tables of structures with pointers between them */
#include "check.h"
struct cmd; struct menu { const char *t; const struct cmd *items; int *count; }; struct cmd { const char *n; void (*f)(void); struct menu *sub; }; static int hits[2]; static void hit(void) { hits[0]++; } static struct menu sub_menu; static const struct cmd cmds[] = {{"a", hit, &sub_menu}, {"b", 0, 0}}; static struct menu top = {"top", cmds, &hits[1]}, sub_menu = {.t = "sub", .items = &cmds[1], .count = hits};
int main(void) {
  START();
  int r = golden_rank();
  top.items[0].f(); *top.count = r; *top.items[0].sub->count += r; MEET(); CHECK(hits[0] == 1 + r && hits[1] == r && top.items[0].sub == &sub_menu && top.items[0].sub->items == &top.items[1] && top.items->sub->items->n[0] == 'b');
  VERDICT();
  return golden_bad;
}
