/* Pointers to string literals and arrays of them */
#include "check.h"
const char *label = "unset"; char buffer[] = "initial"; static const char *const words[] = {"zero", "one", "two"}; char table[][6] = {"ab", "cd"};
int main(void) {
  START();
  int r = golden_rank();
  CHECK(label[0] == 'u' && sizeof buffer == 8); label = words[r % 3]; buffer[0] = (char)('A' + r); table[1][0] = (char)('a' + r); MEET();
  CHECK(label == words[r % 3] && buffer[0] == 'A' + r && table[1][0] == 'a' + r && table[1][1] == 'd');
  VERDICT();
  return golden_bad;
}
