/* Updates at random places of a global table. */
enum { SIZE = 1 << 15 };
static unsigned long table[SIZE];
unsigned long seed = 1;
__attribute__((noinline)) void kernel(void) {
  for (int i = 0; i < 1000000; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    table[(seed >> 33) & (SIZE - 1)] ^= seed;
  }
}
int main(void) {
  kernel();
  return seed == 1;
}
