/* Every rank sleeps, again and again, beyond the range of simulated time. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (;;) sleep(100 * 24 * 3600); /* too long */
}
