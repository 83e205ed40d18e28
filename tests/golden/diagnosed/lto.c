/* Optimization at link time */
// flags: -flto
int x; /* expect: -: -flto is not supported */
