/* Accesses through a file view of many pieces.
 *
 * usage: pieces FILE PIECES BYTES
 *
 * Each rank's view has PIECES pieces of BYTES bytes, with those of the other ranks between them, at distances that differ;
 * it writes and reads all of them in one collective call each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks, count = -1;
  MPI_File file;
  MPI_Status status;
  MPI_Datatype view;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int pieces = atoi(argv[2]), bytes = atoi(argv[3]);
  int* places = malloc((size_t)pieces * sizeof *places);
  char* data = calloc((size_t)pieces, (size_t)bytes);
  /* In units of BYTES: piece i of this rank is somewhere in row i, which has two places for each rank. */
  for (int i = 0; i < pieces; i++) places[i] = 2 * ranks * i + 2 * rank + i % 2;
  MPI_Datatype piece;
  MPI_Type_contiguous(bytes, MPI_BYTE, &piece);
  MPI_Type_create_indexed_block(pieces, 1, places, piece, &view);
  MPI_Type_commit(&view);
  MPI_Type_commit(&piece);
  free(places);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, piece, view, "native", MPI_INFO_NULL);
  MPI_Type_free(&view);
  MPI_File_write_all(file, data, pieces, piece, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, data, pieces, piece, &status);
  MPI_Get_count(&status, piece, &count);
  MPI_Type_free(&piece);
  MPI_File_close(&file);
  free(data);
  MPI_Finalize();
  return count == pieces ? 0 : 1;
}
