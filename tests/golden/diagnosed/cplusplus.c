/* C++ */
// flags: -x c++
int x; /* expect: -: language 'c++' is not supported, only C */
