/* Global register variables */
register long base __asm__("rsp"); /* expect: 2: global register variable 'base' is not supported */
long f(void) { return base; }
