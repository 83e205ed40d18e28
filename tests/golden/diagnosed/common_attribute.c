/* Variables with the attribute `common` */
int c __attribute__((common)); /* expect: 2: attribute 'common' of variable 'c' is not supported */
