/* Variables of the C library: stdout, environ, optind */
#include "check.h"
#include <unistd.h>
#include <getopt.h>
extern char **environ; static FILE *log_file;
int main(void) {
  START();
  int r = golden_rank();
  log_file = stdout; FILE **where = &stdout; CHECK(*where == log_file && environ != 0); char *args[] = {"p", "-a", "5", "-b", "z", 0}; int c, seen = 0; opterr = 0; while ((c = getopt(5, args, "a:b")) != -1) { seen = seen * 10 + (c == 'a' ? optarg[0] - '0' : 1); MEET(); } CHECK(seen == 51 && optind == 4); optind = 1;
  VERDICT();
  return golden_bad;
}
