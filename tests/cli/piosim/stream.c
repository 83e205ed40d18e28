// A file of 16 MiB in calls of 1 MiB: write, close and synchronize it, or read it. Prints the microseconds of each
// step. Arguments: posix, synced, mpi, read or reread, and the file.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { calls = 16, size = 1 << 20 };

static char data[size];
static double begin;

static void tell(const char *step) {
  printf("%s %.1f\n", step, (MPI_Wtime() - begin) * 1e6);
  begin = MPI_Wtime();
}

static void write_file(const char *name, int sync) {
  const int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0666);
  begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    if (write(file, data, size) != size) abort();
  tell("write");
  if (sync) {
    if (fsync(file) != 0) abort();
    tell("sync");
  }
  close(file);
  tell("close");
}

static void read_file(const char *name) {
  const int file = open(name, O_RDONLY);
  begin = MPI_Wtime();
  int read_calls = 0;
  while (read(file, data, size) == size) ++read_calls;
  tell("read");
  close(file);
  if (read_calls != calls) abort();
}

static void write_by_mpi(char *name) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) MPI_File_write(file, data, size, MPI_BYTE, MPI_STATUS_IGNORE);
  tell("write");
  MPI_File_close(&file);
  tell("close");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *what = argv[1];
  if (strcmp(what, "mpi") == 0) {
    write_by_mpi(argv[2]);
  } else {
    if (strcmp(what, "read") != 0) write_file(argv[2], strcmp(what, "synced") == 0);
    if (strstr(what, "read") != NULL) read_file(argv[2]);
  }
  MPI_Finalize();
  return 0;
}
