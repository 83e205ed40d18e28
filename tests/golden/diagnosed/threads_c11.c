/* Threads of C11 */
#include <threads.h>
static int run(void *p) { (void)p; return 0; }
int f(void) { thrd_t t; return thrd_create(&t, run, 0); } /* expect: 4: call of 'thrd_create': a rank is one thread */
