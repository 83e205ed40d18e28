/* argv[1] tells which call is tried that a simulated rank cannot make. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    if (strcmp(argv[1], "system") == 0) return system("echo from a shell"); /* line 13 */
    if (strcmp(argv[1], "abort") == 0) abort();                              /* line 14 */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
