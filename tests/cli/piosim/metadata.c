// Calls about names, as metadata benchmarks make them: what each costs, on rank 0. Argument: a directory.
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { files = 25 };

static int rank;
static char name[512], other[520];

static void use(const char *directory, int i) {
  snprintf(name, sizeof name, "%s/f%d.%d", directory, rank, i);
  snprintf(other, sizeof other, "%s.new", name);
}

static void tell(const char *what, double since) {
  if (rank == 0) printf("%s %.0f ns\n", what, (MPI_Wtime() - since) * 1e9);
}

static void must(int result) {
  if (result != 0) abort();
}

#define EACH(what, call)                                       \
  do {                                                         \
    const double since = MPI_Wtime();                          \
    for (int i = 0; i < files; ++i) use(directory, i), (call); \
    tell(what, since);                                         \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char directory[256];
  snprintf(directory, sizeof directory, "%s/d%d", argv[1], rank);
  struct stat about;
  double since = MPI_Wtime();
  must(mkdir(directory, 0777));
  tell("mkdir", since);
  EACH("creat", must(close(creat(name, 0666))));
  EACH("stat", must(stat(name, &about)));
  EACH("access", must(access(name, R_OK)));
  EACH("truncate", must(truncate(name, 0)));
  EACH("rename", must(rename(name, other)));
  since = MPI_Wtime();
  DIR *listing = opendir(directory);
  int entries = 0;
  while (readdir(listing)) ++entries;
  closedir(listing);
  tell("readdir", since);
  EACH("unlink", must(unlink(other)));
  since = MPI_Wtime();
  must(rmdir(directory));
  tell("rmdir", since);
  if (entries != files + 2) abort();
  MPI_Finalize();
  return 0;
}
