/* OpenMP */
// flags: -fopenmp
int x; /* expect: -: -fopenmp is not supported */
