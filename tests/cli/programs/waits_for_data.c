/* Rank 0 waits for a line of its standard input. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  char byte;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && read(0, &byte, 1) != 1) return 1; /* waits */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
