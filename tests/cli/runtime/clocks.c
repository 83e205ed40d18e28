/* All clocks agree on simulated time, and all ways to sleep advance it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static double by_gettimeofday(void) { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + 1e-6 * t.tv_usec; }
static double by_clock(clockid_t id) { struct timespec t; clock_gettime(id, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static double by_rusage(void) { struct rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_utime.tv_sec + 1e-6 * r.ru_utime.tv_usec; }
static double by_times(void) { struct tms t; times(&t); return (double)t.tms_utime / sysconf(_SC_CLK_TCK); }

int main(int argc, char** argv) {
  int rank, i, good = 1;
  double start[8], spent[8], expected;
  struct timespec piece = {0, 250000000}, goal;
  struct timeval wait = {0, 250000};
  struct utsname names;
  time_t now;
  char host[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 2; ++i) {
    double* t = i == 0 ? start : spent;
    t[0] = by_gettimeofday(); t[1] = by_clock(CLOCK_REALTIME); t[2] = by_clock(CLOCK_MONOTONIC);
    t[3] = by_clock(CLOCK_PROCESS_CPUTIME_ID); t[4] = (double)clock() / CLOCKS_PER_SEC; t[5] = by_rusage();
    t[6] = by_times(); t[7] = MPI_Wtime();
    if (i == 1) break;
    sleep(3600); usleep(500000); nanosleep(&piece, NULL); select(0, NULL, NULL, NULL, &wait); poll(NULL, 0, 1000);
    clock_gettime(CLOCK_MONOTONIC, &goal);
    goal.tv_sec += rank;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &goal, NULL);
  }
  expected = 3602 + rank;
  for (i = 0; i < 8; ++i)
    if (fabs(spent[i] - start[i] - expected) > 0.02) {
      printf("rank %d: clock %d says %f, not %f\n", rank, i, spent[i] - start[i], expected);
      good = 0;
    }
  now = time(NULL);
  gethostname(host, sizeof host);
  uname(&names);
  printf("rank %d: %s, year %d, hour %d, on %s %d, process %d, processors %ld\n", rank, good ? "agree" : "DISAGREE",
         gmtime(&now)->tm_year + 1900, gmtime(&now)->tm_hour, host, strcmp(host, names.nodename), (int)getpid(),
         sysconf(_SC_NPROCESSORS_ONLN));
  MPI_Finalize();
  return 0;
}
