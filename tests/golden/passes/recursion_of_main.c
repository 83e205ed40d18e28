/* main that calls itself, and main with arguments */
#include "check.h"
static int depth;
int main(int argc, char **argv) { if (depth++ == 0) { START(); CHECK(argc >= 1 && argv[argc] == 0); return main(argc, argv); } VERDICT(); return golden_bad + (depth != 2); }
