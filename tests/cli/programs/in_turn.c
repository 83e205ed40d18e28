/* Rank 0 waits for its standard input, the others for a pipe of their own that rank 0 writes to; the last one asks
 * without waiting, again and again. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, i;
  char name[64], byte = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    if (read(0, &byte, 1) != 1) return 1;
    for (i = 1; i < size; ++i) {
      int pipe;
      snprintf(name, sizeof name, "in_turn.%d", i);
      pipe = open(name, O_WRONLY);
      if (write(pipe, &byte, 1) != 1) return 2;
      close(pipe);
    }
  } else {
    int pipe;
    snprintf(name, sizeof name, "in_turn.%d", rank);
    mkfifo(name, 0600);
    pipe = open(name, O_RDWR | (rank == size - 1 ? O_NONBLOCK : 0));
    while (read(pipe, &byte, 1) != 1) {
    }
    printf("%d: %c\n", rank, byte);
    close(pipe);
    unlink(name);
  }
  MPI_Finalize();
  return 0;
}
