// Requests whose numbers are known by hand; 2 ranks. "abort" and "crash": ends so after writing, before it closes the file.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { KIB = 1024 };
static char data[100 * KIB];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *end = argc > 1 ? argv[1] : "";
  memset(data, 'a' + rank, sizeof data);
  MPI_File a, b;
  MPI_File_open(MPI_COMM_WORLD, "a.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &a);
  for (int i = 0; i < 4; ++i) MPI_File_write_at(a, rank * 64 * KIB + i * 512, data, 512, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i)
    MPI_File_write_at(a, 1024 * KIB + rank * 64 * KIB + i * 8 * KIB, data, 8 * KIB, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(end, "sync") == 0) MPI_File_sync(a);
  if (strcmp(end, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(end, "crash") == 0 && rank == 0) *(volatile int *)8 = 0;
  MPI_File_read_at(a, 1024 * KIB + rank * 64 * KIB, data, 8 * KIB, MPI_BYTE, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_File_open(MPI_COMM_SELF, "b.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &b);
    MPI_File_write_at(b, 0, data, 100 * KIB, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&b);
  }
  if (strcmp(end, "leave") != 0) MPI_File_close(&a);
  MPI_Finalize();
  return 0;
}
