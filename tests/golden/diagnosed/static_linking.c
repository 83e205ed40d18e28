// link
/* Static linking */
// flags: -static
int main(void) { return 0; } /* expect: -: -static is not supported */
