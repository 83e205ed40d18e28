/* Misuse of collectives, chosen by the first argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, size, data[8] = {0}, out[8];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argv[1];
  if (!strcmp(what, "different-calls")) {
    if (rank == 1)
      MPI_Reduce(data, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
      MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "different-roots")) {
    MPI_Bcast(data, 1, MPI_INT, rank == 0 ? 0 : 1, MPI_COMM_WORLD);
  } else if (!strcmp(what, "swapped")) {
    if (rank == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Allreduce(data, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(data, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  } else if (!strcmp(what, "missing")) {
    if (rank != 2 % size) MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(what, "truncated")) {
    MPI_Bcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "operations")) {
    MPI_Allreduce(data, out, 2, MPI_INT, rank ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
  } else if (!strcmp(what, "data")) {
    MPI_Bcast(data, rank ? 1 : 2, rank ? MPI_DOUBLE : MPI_INT, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "bytes")) { /* which programs take for everything */
    MPI_Bcast(data, rank ? 8 : 2, rank ? MPI_BYTE : MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(data, 2, rank ? MPI_UNSIGNED : MPI_INT, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "root")) {
    MPI_Bcast(data, 1, MPI_INT, size, MPI_COMM_WORLD);
  } else if (!strcmp(what, "count")) {
    MPI_Allreduce(data, out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (!strcmp(what, "operation")) {
    MPI_Allreduce(data, out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
  } else if (!strcmp(what, "type")) {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "null-operation")) {
    MPI_Allreduce(data, out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
  } else if (!strcmp(what, "in-place")) {
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (!strcmp(what, "returned")) {
    int class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int errors[] = {MPI_Bcast(data, 1, MPI_INT, -7, MPI_COMM_WORLD),
                          MPI_Bcast(data, -1, MPI_INT, 0, MPI_COMM_WORLD),
                          MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD),
                          MPI_Reduce(data, out, 1, MPI_FLOAT, MPI_LXOR, 0, MPI_COMM_WORLD)};
    const int expected[] = {MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP};
    for (int i = 0; i < 4; i++) {
      MPI_Error_class(errors[i], &class);
      if (class != expected[i]) printf("error %d has class %d, not %d\n", i, class, expected[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("classes checked\n");
  } else {
    return 9;
  }
  MPI_Finalize();
  return 0;
}
