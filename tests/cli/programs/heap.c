/* Rank 1 destroys the heap in the way that the argument names, then goes on; all ranks use the heap and MPI. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* volatile block;
static char* volatile damaged;

static void destroy(const char* how) {
  block = malloc(100);
  char* volatile next = malloc(2000);
  if (strcmp(how, "overflow") == 0) {
    memset(next - 24, 'x', 48); /* the end of some block, and the head of the next */
    free(next);
  } else if (strcmp(how, "double") == 0) {
    free(next);
    free(next);
  } else if (strcmp(how, "wild") == 0) {
    free(block + 24);
  } else if (strcmp(how, "header") == 0) {
    ((uintptr_t*)next)[-1] = 0x4141414141414140;
    free(block);
    free(next);
  } else { /* "later": what is freed when all have gone on for a while */
    ((uintptr_t*)next)[-1] = 0x4141414141414140;
    damaged = next;
  }
}

int main(int argc, char** argv) {
  int rank, i;
  char* kept[200];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d has begun\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) destroy(argv[1]);
  for (i = 0; i < 200; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    kept[i] = malloc((size_t)(i * 997 % 100000));
  }
  free(damaged);
  for (i = 0; i < 200; ++i) free(kept[i]);
  MPI_Finalize();
  return 0;
}
