/* Rank 0 walks through a directory that it has changed to, and lets the others go on meanwhile: they stay where they
 * are. */
#define _GNU_SOURCE
#include <ftw.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int visits;

static int visit(const char* path, const struct stat* about, int kind, struct FTW* place) {
  (void)path, (void)about, (void)kind, (void)place;
  if (visits++ == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 0;
}

int main(int argc, char** argv) {
  int rank;
  char before[4096], within[4096], after[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  getcwd(before, sizeof before);
  if (rank == 0) {
    mkdir("walked", 0700);
    mkdir("walked/deep", 0700);
    chdir("walked");
    nftw(".", visit, 8, 0);
    printf("visits %d\n", visits);
  } else {
    FILE* file;
    MPI_Barrier(MPI_COMM_WORLD);
    getcwd(within, sizeof within);
    file = fopen("made_beside", "w");
    fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    getcwd(after, sizeof after);
    printf("stays %d %d\n", strcmp(before, within) == 0, strcmp(before, after) == 0);
  }
  MPI_Finalize();
  return 0;
}
