/* Sizes, bounds, contents and packed forms of derived datatypes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static double matrix[20][30];

static void show(const char* name, MPI_Datatype type) {
  MPI_Aint lb, extent, true_lb, true_extent;
  int size, ints, addresses, types, combiner;
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
  printf("%d %s: size %d lb %ld extent %ld true %ld %ld envelope %d %d %d\n", rank, name, size, (long)lb,
         (long)extent, (long)true_lb, (long)true_extent, ints, addresses, types);
}

static void send_round(const char* name, MPI_Datatype type, int count) {
  /* From every rank to itself, received as bytes: the packed form. */
  static unsigned char bytes[65536];
  MPI_Request request;
  MPI_Status status;
  unsigned long sum = 5381;
  int i, n, elements, whole;
  MPI_Irecv(bytes, sizeof bytes, MPI_BYTE, 0, 3, MPI_COMM_SELF, &request);
  MPI_Send(&matrix[4][5], count, type, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_BYTE, &n);
  MPI_Get_elements(&status, type, &elements);
  MPI_Get_count(&status, type, &whole);
  for (i = 0; i < n; ++i) sum = sum * 33 + bytes[i];
  printf("%d %s: %d bytes, %d elements, %d whole, hash %lu\n", rank, name, n, elements, whole, sum);
}

static void both(const char* name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  show(name, type);
  send_round(name, type, 1);
  send_round(name, type, 2);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Datatype type, inner, types[3];
  int lengths[3] = {2, 0, 1}, places[3] = {4, 9, -2}, i, j;
  MPI_Aint bytes[3] = {0, 24, 40};
  int sizes[3] = {4, 6, 5}, parts[3] = {2, 3, 4}, starts[3] = {1, 2, 0};
  int gsizes[2] = {9, 10}, distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  int arguments[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, processes[2] = {3, 2};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 20; ++i)
    for (j = 0; j < 30; ++j) matrix[i][j] = i + j / 100.0 + rank;

  MPI_Type_contiguous(7, MPI_DOUBLE, &type);
  both("contiguous", type);
  MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &type);
  both("vector", type);
  MPI_Type_create_hvector(3, 1, -24, MPI_INT, &type);
  both("hvector", type);
  MPI_Type_indexed(3, lengths, places, MPI_FLOAT, &type);
  both("indexed", type);
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &type);
  both("hindexed", type);
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  both("indexed_block", type);
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_CHAR, &type);
  both("hindexed_block", type);
  types[0] = MPI_CHAR;
  types[1] = MPI_INT;
  types[2] = MPI_DOUBLE;
  lengths[1] = 1;
  MPI_Type_create_struct(3, lengths, bytes, types, &type);
  both("struct", type);
  MPI_Type_create_struct(1, lengths, bytes, types, &type);
  both("struct of one", type);
  MPI_Type_create_resized(MPI_DOUBLE, -8, 40, &type);
  both("resized", type);
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 4, 20, &type);
  MPI_Type_free(&inner);
  MPI_Type_contiguous(3, type, &inner);
  MPI_Type_free(&type);
  both("contiguous of resized", inner);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  both("subarray C", type);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  both("subarray Fortran", type);
  MPI_Type_create_darray(6, rank, 2, gsizes, distributions, arguments, processes, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  send_round("darray", type, 1);
  MPI_Type_free(&type);
  show("double int", MPI_DOUBLE_INT);
  show("short int", MPI_SHORT_INT);
  show("long int", MPI_LONG_INT);
  show("long double", MPI_LONG_DOUBLE);

  { /* a truncated structure: partial elements */
    MPI_Status status;
    MPI_Request request;
    int count, elements;
    struct { double d; int i; } pair[4];
    memset(pair, 0, sizeof pair);
    MPI_Irecv(pair, 4, MPI_DOUBLE_INT, 0, 1, MPI_COMM_SELF, &request);
    types[0] = MPI_DOUBLE;
    types[1] = MPI_INT;
    lengths[0] = lengths[1] = 1;
    bytes[1] = 8;
    MPI_Type_create_struct(2, lengths, bytes, types, &type);
    MPI_Type_commit(&type);
    MPI_Send(pair, 3, type, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    printf("%d pairs %d %d\n", rank, count, elements);
    MPI_Type_free(&type);
  }
  {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_set_name(type, "mine");
    MPI_Type_get_name(type, name, &length);
    printf("%d name %s %d\n", rank, name, length);
    MPI_Type_get_name(MPI_UNSIGNED_LONG, name, &length);
    printf("%d name %s %d\n", rank, name, length);
    MPI_Type_free(&type);
  }
  MPI_Finalize();
  return 0;
}
