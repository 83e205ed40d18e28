/* Rank 0 waits for the host in a call that mpisim does not know. */
#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, i;
  struct timespec pause = {1, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; rank == 0 && i < 6; ++i) syscall(SYS_nanosleep, &pause, NULL); /* waits */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
