/* Workers send results of different cost to rank 0, which takes them as they come; then all poll a little. */
#include <mpi.h>
#include <stdio.h>

enum { JOBS = 12 };

static double work(int job) {
  double sum = 0;
  for (int i = 0; i < 1000 * (job % 5 + 1); ++i) sum += 1.0 / (i + job + 1);
  return sum;
}

int main(int argc, char **argv) {
  int rank, size, flag = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (int job = 0; job < JOBS * (size - 1); ++job) {
      double result;
      MPI_Status status;
      MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      printf("%d from %d\n", status.MPI_TAG, status.MPI_SOURCE);
    }
  } else {
    for (int job = 0; job < JOBS; ++job) {
      double result = work(job * rank);
      MPI_Send(&result, 1, MPI_DOUBLE, 0, job, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD); /* the receives above take any tag */
  /* The last message comes late; the polls before it fail. */
  int polls = 0, token = rank;
  MPI_Request request;
  MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 99, MPI_COMM_WORLD, &request);
  if (rank == 0) work(4);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD);
  for (; !flag; ++polls) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  printf("rank %d got %d after %d polls\n", rank, token, polls);
  MPI_Finalize();
  return 0;
}
