/* Variables in sections of their own */
int table __attribute__((section("my_table"))) = 3; /* expect: 2: variable 'table' is placed in a section of its own */
static const int fine __attribute__((section("my_consts"))) = 3;
int f(void) { return table + fine; }
