/* The address of a private variable as an assembly constant */
int x;
void *f(void) { void *p; __asm__("movq %1, %0" : "=r"(p) : "i"(&x)); return p; } /* expect: 3: takes the address of a private variable as a constant */
