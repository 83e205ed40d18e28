/* Sends what nobody receives, and never calls MPI_Finalize if it is told so. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  printf("rank %d was here\n", rank);
  if (argc == 1) MPI_Finalize();
  return 0;
}
