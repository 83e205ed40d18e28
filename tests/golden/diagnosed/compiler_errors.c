/* Errors of the program keep their file and line */
static int x;
int f(void) {
  x = undeclared; /* expect: 4: use of undeclared identifier 'undeclared' */
#line 100
  return x +; /* expect: 100: expected expression */
}
