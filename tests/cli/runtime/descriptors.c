/* Numbers of descriptors belong to a rank: what one closes or opens is nothing to the others. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int rank;

static void check(int right, const char* what) {
  if (!right) printf("rank %d: WRONG: %s (errno %d)\n", rank, what, errno);
}
#define CHECK(condition) check(condition, #condition)

/* Ranks open different numbers of files, in turns; each gets its own lowest numbers. */
static void numbers(void) {
  char name[64];
  int i, file[8], count = 2 + rank;
  for (i = 0; i < count; ++i) {
    sprintf(name, "descriptors-%d-%d.txt", rank, i);
    file[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(file[i] == 3 + i);
    CHECK(write(file[i], name, strlen(name)) == (ssize_t)strlen(name));
  }
  for (; i < 8; ++i) MPI_Barrier(MPI_COMM_WORLD);
  close(3);
  CHECK(dup(file[1]) == 3);
  CHECK(fcntl(file[1], F_DUPFD, 20) == 20);
  CHECK(dup2(file[1], 30) == 30 && lseek(30, 0, SEEK_CUR) == lseek(3, 0, SEEK_CUR));
  errno = 0;
  CHECK(write(25, "x", 1) == -1 && errno == EBADF);
  CHECK(fcntl(25, F_GETFD) == -1 && errno == EBADF);
  CHECK(fcntl(20, F_SETFD, FD_CLOEXEC) == 0 && fcntl(20, F_GETFD) == FD_CLOEXEC && fcntl(3, F_GETFD) == 0);
}

/* What daemons do at their start must harm nobody. */
static void close_all(void) {
  int i, mine = -1;
  char text[16] = "";
  if (rank == 0) mine = open("descriptors-kept.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0)
    for (i = 3; i < 1024; ++i) close(i);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(write(mine, "kept", 4) == 4 && pread(mine, text, 4, 0) == 4 && strcmp(text, "kept") == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(close_range(3, ~0U, 0) == 0 && write(mine, "x", 1) == -1 && errno == EBADF);
}

static void files(void) {
  char name[64], text[32] = "", other[8] = "";
  struct stat about;
  struct iovec pieces[2] = {{text, 2}, {other, 3}};
  off_t at = 0;
  char* memory;
  FILE* stream;
  DIR* directory;
  int file, place, copy;
  sprintf(name, "descriptors-%d.txt", rank);
  file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file == 3 && ftruncate(file, 5) == 0 && fstat(file, &about) == 0 && about.st_size == 5);
  memory = mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(memory != MAP_FAILED);
  memcpy(memory, "bytes", 5);
  CHECK(munmap(memory, 5) == 0 && fdatasync(file) == 0);
  CHECK(mmap(NULL, 5, PROT_READ, MAP_SHARED, 99, 0) == MAP_FAILED && errno == EBADF);
  CHECK(preadv(file, pieces, 2, 0) == 5 && strcmp(text, "by") == 0 && strcmp(other, "tes") == 0);
  CHECK(posix_fallocate(file, 0, 4096) == 0 && fchmod(file, 0640) == 0 && futimens(file, NULL) == 0);
  CHECK(lockf(file, F_TLOCK, 0) == 0 && lockf(file, F_ULOCK, 0) == 0);
  stream = fopen(name, "r");
  CHECK(stream != NULL && fileno(stream) == 4);
  fclose(stream);
  copy = creat("descriptors-copy.txt", 0600);
  CHECK(copy == 4 && sendfile(copy, file, &at, 5) == 5);
  close(copy);
  directory = opendir(".");
  CHECK(directory != NULL && dirfd(directory) == 4 && openat(4, name, O_RDONLY) == 5);
  CHECK(closedir(directory) == 0 && fcntl(4, F_GETFD) == -1);
  place = open(".", O_RDONLY | O_DIRECTORY);
  CHECK(place == 4 && fstatat(place, name, &about, 0) == 0 && about.st_size == 4096);
  CHECK(freopen(name, "r", stdin) == stdin && fileno(stdin) == 0 && read(0, text, 5) == 5);
  close(0);
  CHECK(open(name, O_RDONLY) == 0);
  fflush(stdout);
  sprintf(text, "rank %d: by name\n", rank);
  file = open("/dev/stdout", O_WRONLY);
  CHECK(file > 2 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  closefrom(3);
}

static void others(void) {
  int ends[2], pair[2], got = -1, group;
  char byte = 0, control[CMSG_SPACE(sizeof(int))];
  struct iovec data = {&byte, 1};
  struct msghdr message = {0};
  struct cmsghdr* header;
  struct epoll_event event = {EPOLLIN, {.u32 = 7}};
  struct pollfd polled[2];
  fd_set readable;
  eventfd_t count = 0;
  CHECK(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pair[0] == 5 && pair[1] == 6);
  CHECK(write(ends[1], "p", 1) == 1);
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  FD_SET(pair[0], &readable);
  CHECK(select(pair[0] + 1, &readable, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &readable) && !FD_ISSET(pair[0], &readable));
  polled[0] = (struct pollfd){ends[0], POLLIN, 0};
  polled[1] = (struct pollfd){77, POLLIN, 0};
  CHECK(poll(polled, 2, 0) == 2 && polled[0].revents == POLLIN && polled[1].revents == POLLNVAL);
  group = epoll_create1(0);
  CHECK(group == 7 && epoll_ctl(group, EPOLL_CTL_ADD, ends[0], &event) == 0);
  event.data.u32 = 0;
  CHECK(epoll_wait(group, &event, 1, -1) == 1 && event.data.u32 == 7);
  /* A descriptor that travels through a socket. */
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
  CHECK(sendmsg(pair[0], &message, 0) == 1);
  message.msg_controllen = sizeof control;
  CHECK(recvmsg(pair[1], &message, 0) == 1);
  memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
  CHECK(got == 8 && read(got, &byte, 1) == 1 && byte == 'p');
  CHECK(eventfd(3, 0) == 9 && eventfd_read(9, &count) == 0 && count == 3);
  CHECK(memfd_create("memory", 0) == 10);
  closefrom(3);
  CHECK(fcntl(3, F_GETFD) == -1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  numbers();
  close_all();
  files();
  others();
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
