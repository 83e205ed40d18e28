/* Threads */
#include <pthread.h>
static void *run(void *p) { return p; }
int f(void) {
  pthread_t t;
  return pthread_create(&t, 0, run, 0); /* expect: 6: call of 'pthread_create': a rank is one thread */
}
