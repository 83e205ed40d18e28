/* A switch that stores to one of several static pointers */
#include "check.h"
static int first, second, third, *head, *tail, *spare; static const char *label;
static void put(int which, int *value) {
  switch (which) { case 0: head = value; break; case 1: tail = value; break; case 2: spare = value; break; default: label = "none"; }
}
static void count(int which) { switch (which) { case 0: first++; break; case 1: second++; break; case 2: third++; break; } }
int main(void) {
  START();
  int r = golden_rank();
  for (int k = 0; k < 4; ++k) put((k + r) % 4, k == 0 ? &first : k == 1 ? &second : &third);
  for (int k = 0; k <= r; ++k) count(k % 3);
  MEET();
  int *wanted[4] = {&first, &second, &third, &third};
  CHECK(head == wanted[(4 - r % 4) % 4] && tail == wanted[(5 - r % 4) % 4] && spare == wanted[(6 - r % 4) % 4]);
  CHECK(label[0] == 'n' && first == (r + 3) / 3 && second == (r + 2) / 3 && third == (r + 1) / 3);
  *tail = 50 + r; MEET(); CHECK(*wanted[(5 - r % 4) % 4] == 50 + r);
  VERDICT();
  return golden_bad;
}
