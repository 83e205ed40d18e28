/* Signals that a rank raises, also by faults, come to its own handlers. */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen[3];
static sigjmp_buf back;

static void one(int number) { seen[0] += number; }
static void two(int number, siginfo_t* info, void* context) {
  (void)context;
  seen[1] += number + (info->si_signo == number);
}
static void fault(int number) { siglongjmp(back, number); }

int main(int argc, char** argv) {
  int rank, number;
  struct sigaction action;
  sigset_t set;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = two;
  action.sa_flags = SA_SIGINFO;
  if (rank % 2) signal(SIGUSR1, one); else sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR2);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR2);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: %d %d\n", rank, (int)seen[0], (int)seen[1]);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("rank %d: %d %d\n", rank, (int)seen[0], (int)seen[1]);

  signal(SIGSEGV, fault);
  signal(SIGFPE, fault);
  number = sigsetjmp(back, 1);
  if (number == 0) *(volatile int*)16 = 1;
  printf("rank %d: came back from %d\n", rank, number);
  number = sigsetjmp(back, 1);
  if (number == 0) {
    volatile int zero = 0, seven = 7;
    seven /= zero;
  }
  printf("rank %d: came back from %d\n", rank, number);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
