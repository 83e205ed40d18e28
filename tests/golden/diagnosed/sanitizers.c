/* Sanitizers */
// flags: -fsanitize=address
int x; /* expect: -: -fsanitize=address is not supported */
