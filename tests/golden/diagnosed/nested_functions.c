/* Nested functions (a GNU extension that clang does not have) */
int f(int n) { int g(int k) { return k + n; } return g(1); } /* expect: 2: function definition is not allowed here */
