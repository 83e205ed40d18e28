/* A matrix in a file, divided among the ranks by MPI_Type_create_subarray (columns), in the rank's own directory:
   written collectively, read back by rows, with a halo read by one rank alone. argv[1]: directory to change to. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROWS = 12, WIDTH = 5 };

int main(int argc, char** argv) {
  int rank, size, bad = 0, any;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && chdir(argv[1]) != 0) MPI_Abort(MPI_COMM_WORLD, 9);

  double mine[ROWS][WIDTH];
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < WIDTH; ++column) mine[row][column] = row * 1000 + rank * WIDTH + column;

  int sizes[2] = {ROWS, WIDTH * size}, part[2] = {ROWS, WIDTH}, start[2] = {0, rank * WIDTH};
  MPI_Datatype columns;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  MPI_File file;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  MPI_File_open(MPI_COMM_WORLD, "matrix.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_DOUBLE, columns, "native", MPI_INFO_NULL);
  double begin = MPI_Wtime();
  MPI_File_write_all(file, mine, ROWS * WIDTH, MPI_DOUBLE, MPI_STATUS_IGNORE);
  double end = MPI_Wtime();
  bad |= end <= begin;

  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  double line[WIDTH * 64];
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  for (int row = rank; row < ROWS; row += size) {
    MPI_Status status;
    int count;
    MPI_File_read_at(file, (MPI_Offset)row * WIDTH * size, line, WIDTH * size, MPI_DOUBLE, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    bad |= count != WIDTH * size;
    for (int column = 0; column < WIDTH * size; ++column) bad |= line[column] != row * 1000 + column;
  }
  MPI_File_close(&file);
  MPI_Type_free(&columns);
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("matrix %s\n", any ? "WRONG" : "ok");
  MPI_Finalize();
  return any;
}
