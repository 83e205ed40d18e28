/* A file of each rank, written by stdio and read by POSIX calls. argv[1]: the directory. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, bad = 0, any;
  char name[4096], data[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s/own-%d.dat", argv[1], rank);
  FILE* out = fopen(name, "w");
  bad |= out == NULL;
  for (int i = 0; i < 1000 && !bad; ++i) bad |= fprintf(out, "%04d line\n", i) != 10;
  fclose(out);
  int in = open(name, O_RDONLY);
  for (int i = 0; i < 10; ++i) {
    bad |= pread(in, data, sizeof data, (off_t)((i * 7) % 10) * 1000) != sizeof data;
    bad |= data[0] != '0' || data[1] != '0' + (i * 7) % 10;
  }
  close(in);
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("own files %s\n", any ? "WRONG" : "ok");
  MPI_Finalize();
  return any;
}
