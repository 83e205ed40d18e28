/* What memory that has just been allocated holds: prints how many words of it are not zero, and how many are the
 * pattern, for each way to allocate. All ranks leave other words behind. */
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 0x7ff5a5a57ff5a5a5u

static void look(const char* what, const uint64_t* words, size_t from, size_t bytes) {
  size_t other = 0, pattern = 0, i;
  for (i = from / sizeof *words; i < bytes / sizeof *words; ++i) {
    other += words[i] != 0;
    pattern += words[i] == PATTERN;
  }
  printf("%s %zu: %zu not zero, %zu pattern\n", what, bytes, other, pattern);
}

int main(int argc, char** argv) {
  int rank, round;
  static const size_t sizes[] = {64, 4096, 200000, 4000000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (round = 0; round < 2; ++round) {
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      size_t bytes = sizes[i];
      void* blocks[5] = {malloc(bytes), realloc(NULL, bytes), aligned_alloc(64, bytes), NULL, reallocarray(NULL, bytes, 1)};
      char* grown;
      int k;
      if (posix_memalign(&blocks[3], 256, bytes) != 0) return 1;
      for (k = 0; k < 5; ++k) {
        if (rank == 1) look("block", blocks[k], 0, bytes);
        memset(blocks[k], rank + 1, bytes);
      }
      grown = malloc(bytes / 2);
      memset(grown, rank + 1, bytes / 2);
      grown = realloc(grown, bytes);
      if (rank == 1) look("grown", (uint64_t*)grown, bytes / 2 + 8, bytes);
      memset(grown, rank + 1, bytes);
      for (k = 0; k < 5; ++k) free(blocks[k]);
      free(grown);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
