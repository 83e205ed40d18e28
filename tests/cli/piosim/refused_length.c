/* Without data a file may be longer than the host can have it, until the program itself makes it another length. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void look(MPI_File file, const char* when) {
  MPI_Offset size;
  MPI_File_get_size(file, &size);
  printf("%s: %lld\n", when, (long long)size);
}

int main(int argc, char** argv) {
  static char block[3000000];
  char path[4096];
  MPI_File file;
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "%s/long.dat", argv[1]);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
  access(path, F_OK);
  look(file, "longer than the host allows");
  printf("truncate: %d\n", truncate(path, 1000));
  look(file, "shortened by the program");
  MPI_File_write_at(file, 1000, block, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  look(file, "and written behind that");
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  printf("truncate: %d\n", truncate(path, 0));
  look(file, "emptied by the program");
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
