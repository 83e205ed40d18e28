/* Two ranks exchange messages until so many seconds of the host's time have gone (a raw system call: the C library's
 * clocks show simulated time). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double host_seconds(void) {
  struct timespec now;
  long number = SYS_clock_gettime, result;
  register long clock asm("rdi") = CLOCK_MONOTONIC;
  register struct timespec *where asm("rsi") = &now;
  asm volatile("syscall" : "=a"(result) : "a"(number), "r"(clock), "r"(where) : "rcx", "r11", "memory");
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  int rank, go = 1;
  double end = host_seconds() + atof(argv[argc - 1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (go) {
    if (rank == 0) {
      go = host_seconds() < end;
      MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
