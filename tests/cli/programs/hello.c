/* Prints its arguments; two messages around a ring. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    for (int i = 1; i < argc; ++i) printf("argument %s\n", argv[i]);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("rank %d of %d got %d\n", rank, size, token);
  MPI_Finalize();
  return token != (rank + size - 1) % size;
}
