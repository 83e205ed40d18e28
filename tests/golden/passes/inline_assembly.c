/* Inline assembly that takes private variables as operands */
#include "check.h"
int a = 1, b; long array[4];
int main(void) {
  START();
  int r = golden_rank();
  a = r; __asm__("movl %1, %0" : "=r"(b) : "r"(a)); __asm__ volatile("addl $2, %0" : "+m"(a)); __asm__("movq $7, %0" : "=m"(array[2])); __asm__ volatile("" ::: "memory"); MEET(); CHECK(b == r && a == r + 2 && array[2] == 7);
  VERDICT();
  return golden_bad;
}
