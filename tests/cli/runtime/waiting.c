/* Ranks that talk past MPI, through pipes and sockets: whoever waits lets the others go on, also in its host process. */
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <fcntl.h>

static int rank;
static char big[300000];

static void fail(const char* what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rank 0 waits at once, for what rank 1 sends only after it has heard of rank 2 by MPI. More is written than a pipe
 * holds. */
static void through_pipe(void) {
  int value = 0, file;
  size_t done = 0;
  ssize_t part;
  if (rank == 0) {
    file = open("waiting.pipe", O_RDONLY);
    while ((part = read(file, big + done, sizeof big - done)) > 0) done += (size_t)part;
    printf("rank 0: %lu bytes, the last is %c\n", (unsigned long)done, big[done - 1]);
    close(file);
  } else if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    file = open("waiting.pipe", O_WRONLY);
    memset(big, 'a' + value, sizeof big);
    if (write(file, big, sizeof big) != (ssize_t)sizeof big) fail("write");
    close(file);
  } else if (rank == 2) {
    value = 25;
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

/* Rank 3 serves the others, which ask through the C library's streams. */
static void through_socket(void) {
  struct sockaddr_un address = {AF_UNIX, "waiting.socket"};
  int number = socket(AF_UNIX, SOCK_STREAM, 0), i, other;
  char line[64];
  FILE* stream;
  if (rank == 3) {
    unlink(address.sun_path);
    if (bind(number, (struct sockaddr*)&address, sizeof address) != 0 || listen(number, 4) != 0) fail("bind");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; rank == 3 && i < 3; ++i) {
    struct pollfd polled = {number, POLLIN, 0};
    if (poll(&polled, 1, -1) != 1) fail("poll");
    other = accept(number, NULL, NULL);
    if (recv(other, line, 8, MSG_WAITALL) != 8) fail("recv");
    line[6] = '!';
    if (send(other, line, 8, 0) != 8) fail("send");
    close(other);
  }
  if (rank != 3) {
    if (connect(number, (struct sockaddr*)&address, sizeof address) != 0) fail("connect");
    stream = fdopen(number, "r+");
    fprintf(stream, "rank %d\n", rank);
    fflush(stream);
    fprintf(stream, "\n");
    fflush(stream);
    if (fread(line, 1, 8, stream) != 8) fail("fread");
    line[8] = '\0';
    printf("rank %d: answer %s", rank, line);
    fclose(stream);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    unlink("waiting.pipe");
    if (mkfifo("waiting.pipe", 0600) != 0) fail("mkfifo");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  through_pipe();
  MPI_Barrier(MPI_COMM_WORLD);
  through_socket();
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
