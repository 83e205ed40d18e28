/* Computes for some 0.2 s of processor time on each rank, in rounds; touches memory for the first time in each. */
#include <mpi.h>
#include <stdlib.h>

static double sum_up(long n) {
  double sum = 0;
  for (long i = 1; i < n; i++) sum += 1.0 / (double)i;
  return sum;
}

int main(int argc, char **argv) {
  volatile double result = 0;
  MPI_Init(&argc, &argv);
  for (int round = 0; round < 20; round++) {
    double *page = calloc(100000, sizeof(double));
    page[round] = sum_up(5000000);
    result += page[round];
    free(page);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
