/* atexit handlers belong to their rank, see its data, and run when it exits, wherever that is. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, calls;

static void first(void) { printf("rank %d: first handler is last, call %d\n", rank, ++calls); }
static void second(void) { printf("rank %d: second handler, call %d\n", rank, ++calls); }
static void with_status(int status, void* text) { printf("rank %d: %s %d, call %d\n", rank, (char*)text, status, ++calls); }

static void deep(int depth) {
  if (depth == 0) {
    MPI_Finalize();
    exit(rank == 1 ? 5 : 0);
  }
  deep(depth - 1);
}

int main(int argc, char** argv) {
  atexit(first);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank % 2) atexit(second);
  on_exit(with_status, "status");
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: no newline, ", rank);
  if (rank == 2) {
    MPI_Finalize();
    return 0;
  }
  deep(10);
  return 9;
}
