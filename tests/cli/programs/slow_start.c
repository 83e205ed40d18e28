/* Sleeps before main, as a program that is loaded from a slow file system. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void load(void) {
  sleep(5);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  puts("begun");
  MPI_Finalize();
  return 0;
}
