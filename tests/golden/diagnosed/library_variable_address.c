/* The address of a variable of the C library in an initializer */
#include <stdio.h>
static FILE **where = &stdout; /* expect: 3: initializer takes the address of 'stdout' */
int f(void) { return fputs("x", *where); }
