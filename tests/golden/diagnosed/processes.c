/* New processes, all faults of a file at once */
#include <unistd.h>
int f(char **argv) {
  if (fork() == 0) /* expect: 4: call of 'fork': a rank shares its process with others */
    execv(argv[0], argv); /* expect: 5: call of 'execv' */
  return execlp("ls", "ls", (char *)0); /* expect: 6: call of 'execlp' */
}
