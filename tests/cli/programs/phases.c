/* Rank r computes r + 1 units, then all meet; a known imbalance. Output on both streams, from several ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double field[1000];

int main(int argc, char **argv) {
  int rank, size;
  double sum = 0, total;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int units = argc > 1 ? atoi(argv[1]) : 20;
  for (int pass = 0; pass < units * (rank + 1); ++pass)
    for (int i = 0; i < 1000; ++i) field[i] = field[i] * 0.5 + i;
  for (int i = 0; i < 1000; ++i) sum += field[i];
  printf("rank %d: %.3f\n", rank, sum);
  if (rank == size - 1) fprintf(stderr, "the last rank was here\n");
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("total %.3f\n", total);
  MPI_Finalize();
  return 0;
}
