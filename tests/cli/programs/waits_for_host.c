/* Rank 0 waits for a lock on a file (its argument) that another process holds. */
#include <fcntl.h>
#include <mpi.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    int file = open(argv[1], O_RDWR);
    flock(file, LOCK_EX); /* waits */
    close(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
