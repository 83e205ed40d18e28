/* Prints a line per step on every rank; the steps take some time on the host too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 40000000u; ++i) sum += i;
    printf("step %d of rank %d\n", step, rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
