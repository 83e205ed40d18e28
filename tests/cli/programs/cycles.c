/* The cycle counter, read in every way that programs know, beside MPI_Wtime; and what must survive its reading. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <x86intrin.h>

static inline uint64_t by_words(void) {
  uint32_t low, high;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
}

static inline uint64_t by_fence(void) {
  uint32_t low, high, processor;
  __asm__ __volatile__("lfence\n\trdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(processor) : : "memory");
  return ((uint64_t)high << 32 | low) + processor;
}

static inline uint64_t by_builtin(void) {
  return __builtin_readcyclecounter();
}

/* A leaf function, which keeps values below its stack pointer and in registers. */
static __attribute__((noinline)) double busy(double a, double b, double c, long i, long j, long k) {
  volatile double kept[4] = {a, b, c, a + b};
  double sum = a * b + c;
  long whole = i * j + k;
  uint64_t before = by_words();
  uint64_t after = by_words();
  sum += (double)(after >= before);
  return sum + kept[0] + kept[1] + kept[2] + kept[3] + (double)(whole + i + j + k);
}

int main(int argc, char** argv) {
  int rank;
  unsigned processor = 7;
  uint64_t marks[6], i;
  double begin, end;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  begin = MPI_Wtime();
  marks[0] = __rdtsc();
  usleep(1000);
  marks[1] = by_words();
  usleep(1000);
  marks[2] = by_fence();
  usleep(1000);
  marks[3] = by_builtin();
  usleep(1000);
  marks[4] = __rdtscp(&processor);
  usleep(1000);
  marks[5] = __rdtsc();
  end = MPI_Wtime();
  for (i = 1; i < 6; ++i) printf("%d: %llu\n", rank, (unsigned long long)(marks[i] - marks[i - 1]));
  printf("%d: %.6f s, processor %u, %g\n", rank, end - begin, processor, busy(1.5, 2.5, 3.5, 4, 5, 6));
  MPI_Finalize();
  return 0;
}
