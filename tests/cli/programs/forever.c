/* Computes until it is killed, after saying so. */
#include <mpi.h>
#include <stdio.h>

static volatile double value;

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("running\n");
  fflush(stdout);
  for (;;) {
    for (int i = 0; i < 10000; ++i) value = value * 0.5 + i;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
