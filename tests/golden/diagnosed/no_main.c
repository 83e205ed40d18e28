// link
/* A program without main */
int x; /* expect: -: none of the objects defines main */
