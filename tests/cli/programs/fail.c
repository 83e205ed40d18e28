/* Fails in the way its first argument names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deep(int n) {
  volatile char space[4096];
  space[n % 4096] = (char)n;
  return n == 0 ? 0 : deep(n - 1) + space[n % 4096];
}

int main(int argc, char **argv) {
  int rank, size, buffer[4] = {0};
  MPI_Request request;
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "early")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("rank %d begins\n", rank);
  if (!strcmp(how, "deadlock"))
    MPI_Recv(buffer, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(how, "segfault") && rank == 1) *(volatile int *)8 = 1;
  if (!strcmp(how, "divide") && rank == 1) {
    volatile int zero = 0;
    buffer[0] = (rank + 100) / zero;
  }
  if (!strcmp(how, "assert") && rank == 1) abort();
  if (!strcmp(how, "overflow") && rank == 1) printf("%d\n", deep(1 << 24));
  if (!strcmp(how, "truncate")) {
    if (rank == 0) MPI_Send(buffer, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (!strcmp(how, "badrank")) MPI_Send(buffer, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  if (!strcmp(how, "exit")) {
    MPI_Finalize();
    return rank == 1 ? atoi(argv[2]) : 0;
  }
  if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  if (!strcmp(how, "livelock")) {
    int done = 0;
    MPI_Irecv(buffer, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (!strcmp(how, "afterwards")) MPI_Comm_size(MPI_COMM_WORLD, &size);
  return 0;
}
