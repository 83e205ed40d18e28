/* Every rank writes a block of a shared file and reads the block of its neighbour. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, size;
  char mine[3000], theirs[3000], expected[3000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(mine, 'a' + rank, sizeof mine);
  memset(expected, 'a' + (rank + 1) % size, sizeof expected);
  MPI_File file;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  MPI_File_open(MPI_COMM_WORLD, "blocks.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, rank * (MPI_Offset)sizeof mine, mine, sizeof mine, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at(file, (rank + 1) % size * (MPI_Offset)sizeof theirs, theirs, sizeof theirs, MPI_CHAR, MPI_STATUS_IGNORE);
  printf("rank %d reads %s\n", rank, memcmp(theirs, expected, sizeof theirs) == 0 ? "its neighbour's block" : "rubbish");
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
