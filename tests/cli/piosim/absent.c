/* Opens a file that is not there, looks at the code, and goes on; a call that does not exist yet is another program. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int error = MPI_File_open(MPI_COMM_WORLD, "none/absent.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  if (rank == 0) printf("%s\n", error == MPI_ERR_NO_SUCH_FILE ? "absent" : "WRONG");
#ifdef PORT
  char port[MPI_MAX_PORT_NAME];
  MPI_Open_port(MPI_INFO_NULL, port);
#endif
  MPI_Finalize();
  return 0;
}
