/* Every predefined operation on every class of types, and operations of the program. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>

static int rank;

#define INTEGERS(type, handle, format)                                                                        \
  do {                                                                                                        \
    const MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, \
                          MPI_BXOR};                                                                          \
    int k;                                                                                                    \
    for (k = 0; k < 10; ++k) {                                                                                \
      type in[3] = {(type)(rank + 1), (type)(100 - rank), (type)(rank % 2)}, out[3] = {0, 0, 0};              \
      MPI_Allreduce(in, out, 3, handle, ops[k], MPI_COMM_WORLD);                                              \
      printf("%d " #handle " %d: " format " " format " " format "\n", rank, k, out[0], out[1], out[2]);       \
    }                                                                                                         \
  } while (0)

#define REALS(type, handle, format)                                                          \
  do {                                                                                       \
    const MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};                              \
    int k;                                                                                   \
    for (k = 0; k < 4; ++k) {                                                                \
      type in[2] = {(type)(rank + 1), (type)(2 - rank)}, out[2] = {0, 0};                    \
      MPI_Allreduce(in, out, 2, handle, ops[k], MPI_COMM_WORLD);                             \
      printf("%d " #handle " %d: " format " " format "\n", rank, k, out[0], out[1]);         \
    }                                                                                        \
  } while (0)

#define LOCATIONS(type, handle)                                                              \
  do {                                                                                       \
    struct { type value; int index; } in[2] = {{(type)(rank % 3), rank}, {7, 10 - rank}}, out[2]; \
    MPI_Allreduce(in, out, 2, handle, MPI_MAXLOC, MPI_COMM_WORLD);                           \
    printf("%d " #handle " max %d %d\n", rank, out[0].index, out[1].index);                  \
    MPI_Allreduce(in, out, 2, handle, MPI_MINLOC, MPI_COMM_WORLD);                           \
    printf("%d " #handle " min %d %d\n", rank, out[0].index, out[1].index);                  \
  } while (0)

/* 2x2 matrix product: associative, not commutative. */
static void multiply(void* left, void* right, int* count, MPI_Datatype* type) {
  int k;
  (void)type;
  for (k = 0; k < *count; ++k) {
    const long* a = (const long*)left + 4 * k;
    long* b = (long*)right + 4 * k;
    const long product[4] = {(a[0] * b[0] + a[1] * b[2]) % 1009, (a[0] * b[1] + a[1] * b[3]) % 1009,
                             (a[2] * b[0] + a[3] * b[2]) % 1009, (a[2] * b[1] + a[3] * b[3]) % 1009};
    int i;
    for (i = 0; i < 4; ++i) b[i] = product[i];
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  INTEGERS(int, MPI_INT, "%d");
  INTEGERS(signed char, MPI_SIGNED_CHAR, "%d");
  INTEGERS(unsigned char, MPI_UNSIGNED_CHAR, "%u");
  INTEGERS(short, MPI_SHORT, "%d");
  INTEGERS(unsigned, MPI_UNSIGNED, "%u");
  INTEGERS(long, MPI_LONG, "%ld");
  INTEGERS(unsigned long long, MPI_UNSIGNED_LONG_LONG, "%llu");
  REALS(float, MPI_FLOAT, "%g");
  REALS(double, MPI_DOUBLE, "%g");
  REALS(long double, MPI_LONG_DOUBLE, "%Lg");
  LOCATIONS(float, MPI_FLOAT_INT);
  LOCATIONS(double, MPI_DOUBLE_INT);
  LOCATIONS(long, MPI_LONG_INT);
  LOCATIONS(int, MPI_2INT);
  LOCATIONS(short, MPI_SHORT_INT);
  LOCATIONS(long double, MPI_LONG_DOUBLE_INT);
  {
    double complex in = rank + 1 - I, out;
    MPI_Allreduce(&in, &out, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    printf("%d complex %g %g\n", rank, creal(out), cimag(out));
  }
  {
    MPI_Datatype matrix;
    MPI_Op product;
    long in[8] = {1, rank, 1, 2, rank + 1, 1, 3, rank}, out[8] = {0};
    int commutes, i;
    MPI_Type_contiguous(4, MPI_LONG, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &product);
    MPI_Op_commutative(product, &commutes);
    MPI_Allreduce(in, out, 2, matrix, product, MPI_COMM_WORLD);
    printf("%d product %d:", rank, commutes);
    for (i = 0; i < 8; ++i) printf(" %ld", out[i]);
    MPI_Scan(in, out, 2, matrix, product, MPI_COMM_WORLD);
    for (i = 0; i < 8; ++i) printf(" %ld", out[i]);
    MPI_Reduce_local(in, out, 2, matrix, product);
    printf(" local %ld\n", out[7]);
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
  }
  MPI_Finalize();
  return 0;
}
