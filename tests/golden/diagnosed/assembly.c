/* Assembly that names a private variable */
int shared_state, other; static int hidden;
__asm__(".globl look\nlook: movl shared_state(%rip), %eax\nret"); /* expect: 3: assembly names the private variable 'shared_state' */
int get(void) {
  int v;
  __asm__("movl hidden(%%rip), %0" : "=r"(v)); /* expect: 6: assembly names the private variable 'hidden' */
  __asm__("movl %[other], %0" : "=r"(v) : [other] "m"(other));
  return v + hidden;
}
