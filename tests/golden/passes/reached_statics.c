/* Statics that are also reached through initial values of external variables, aliases, constructors, assembly */
#include "check.h"
static int through_pointer = 1, *chain = &through_pointer; int *p = &through_pointer; int **q = &chain; struct option { const char *name; int *flag; int value; }; static int verbose; struct option options[] = {{"v", &verbose, 7}, {0, 0, 0}};
static int aliased = 1; extern int other_name __attribute__((alias("aliased"))); int *address_of_other_name(void) { return &other_name; } int get_aliased(void) { return aliased; }
static int flag, seen; static int helper(int unused, int x) { seen += x; return x * 3; } static int (*const table[])(int, int) = {helper}; __attribute__((noinline)) static void labelled(int x) { __asm__ volatile("mpisim_some_label: nop; mpisim_other: nop"); flag = helper(1, x); flag += seen; }
static int evaluated, evaluated_table[8]; __attribute__((constructor)) static void at_start(void) { evaluated++; evaluated_table[3] = 9; }
__attribute__((noinline)) void set(int x) { *p = x; } __attribute__((noinline)) void parse(struct option *o) { for (; o->name; o++) *o->flag = o->value; }
int main(int argc, char **argv) {
  START();
  int r = golden_rank();
  set(r + 5); parse(options); *address_of_other_name() = r; seen = 3; labelled(r); MEET();
  CHECK(through_pointer == r + 5 && **q == r + 5); CHECK(verbose == 7); CHECK(get_aliased() == r); CHECK(flag == 3 + 4 * r && seen == 3 + r); CHECK(table[0](1, 2) == 6);
  CHECK(evaluated == 1 && evaluated_table[argc + 2] == 9);
  VERDICT();
  return golden_bad;
}
