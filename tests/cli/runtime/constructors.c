/* What constructors leave behind is every rank's own: values, and pointers to the program's variables. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int table[4];
static int* stored;
static int* initialised = &table[1];
static char* text;

__attribute__((constructor)) static void begin(void) {
  table[1] = 5;
  stored = &table[2];
  text = getenv("GIVEN");
}

__attribute__((destructor)) static void end(void) {
  if (table[0] != 0 || stored != &table[2]) abort();
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  table[1] += rank;
  *stored = 10 * rank;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: %d %d %d %s\n", rank, *initialised, table[2], *stored, text);
  MPI_Finalize();
  return 0;
}
