/* The last of 4 ranks never comes out of a loop of its own, the others wait for it; rank 0 says that it has begun. */
#include <mpi.h>
#include <stdio.h>

static volatile int forever = 1;

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    puts("begun");
    fflush(stdout);
  }
  if (rank == 3)
    while (forever) {
    } /* astray */
  if (rank != 3) MPI_Recv(&value, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
  MPI_Finalize();
  return 0;
}
