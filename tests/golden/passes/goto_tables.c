/* Tables of label addresses */
#include "check.h"
int pc; static int run(const unsigned char *code) {
  static const void *const table[] = {&&halt, &&inc, &&dbl}; static void *again[] = {&&halt, &&inc, &&dbl};
  int acc = 1; pc = 0; goto *table[code[pc++]];
inc: acc++; goto *again[code[pc++]];
dbl: acc *= 2; goto *table[code[pc++]];
halt: return acc; }
int main(void) {
  START();
  int r = golden_rank();
  static const unsigned char code[] = {1, 2, 1, 0}; CHECK(run(code) == 5 && pc == 4); MEET(); CHECK(pc == 4);
  VERDICT();
  return golden_bad;
}
