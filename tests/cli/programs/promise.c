/* Workers send with a tag of their own each; rank 0 receives from any source. "broken": two share a tag. "silent":
   without the promise. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, size, value = 0;
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
#ifdef MPISIM
    if (strcmp(how, "silent") != 0) MPIX_Mpisim_deterministic(MPI_COMM_WORLD, MPI_ANY_TAG);
#endif
    for (int i = 0; i < 5; ++i)
      for (int worker = 1; worker < size; ++worker) {
        int tag = strcmp(how, "broken") == 0 && worker == 3 ? 2 : worker;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        printf("%d: %d from %d\n", tag, value, status.MPI_SOURCE);
      }
  } else {
    int tag = strcmp(how, "broken") == 0 && rank == 3 ? 2 : rank;
    for (int i = 0; i < 5; ++i) {
      value = rank * 100 + i;
      MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
