/* A program that defines a variable which the C library has too */
#include "check.h"
char *optarg; int optind = 1; int getopt(int argc, char *const *argv, const char *options) { (void)options; if (optind >= argc) return -1; optarg = argv[optind++]; return optarg[0]; }
int main(void) {
  START();
  int r = golden_rank();
  char *args[] = {"p", "x", "y", 0}; int n = 0; while (getopt(3, args, "") != -1) { MEET(); n++; } CHECK(n == 2 && optind == 3 && optarg[0] == 'y'); (void)r;
  VERDICT();
  return golden_bad;
}
