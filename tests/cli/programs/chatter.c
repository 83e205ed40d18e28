/* Prints more than pipes hold, on the stream that is named. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *stream = argc > 1 && strcmp(argv[1], "stderr") == 0 ? stderr : stdout;
  for (int i = 0; i < 50000; ++i) fprintf(stream, "line %d of rank %d\n", i, rank);
  MPI_Finalize();
  return 0;
}
