/* Rank 0 prints a lot at later times than rank 2, which takes longer on the host. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
  int rank;
  static char text[100001];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    struct timespec second = {1, 0};
    nanosleep(&second, NULL);
    memset(text, 'x', 100000);
    for (int i = 0; i < atoi(argv[1]); ++i) puts(text);
  }
  if (rank == 2) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1000000000u; ++i) sum += i;
    puts("first");
  }
  MPI_Finalize();
  return 0;
}
