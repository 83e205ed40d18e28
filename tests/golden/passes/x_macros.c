/* X-macro tables */
#include "check.h"
#define LIST X(alpha, 1) X(beta, 2) X(gamma, 3)
#define X(n, v) static int n##_value = v;
LIST
#undef X
static struct { const char *name; int *value; } all[] = {
#define X(n, v) {#n, &n##_value},
LIST
#undef X
};
int main(void) {
  START();
  int r = golden_rank();
  for (unsigned k = 0; k < 3; ++k) *all[k].value += r; MEET(); CHECK(alpha_value == 1 + r && beta_value == 2 + r && gamma_value == 3 + r && all[2].name[0] == 'g');
  VERDICT();
  return golden_bad;
}
