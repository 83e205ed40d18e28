/* Changes of the environment, options, random numbers, conversions: hidden state that must stay with its rank. */
#define _GNU_SOURCE
#include <mpi.h>
#include <errno.h>
#include <getopt.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static int count(const char* start) {
  int found = 0;
  char** variable;
  for (variable = environ; *variable != NULL; ++variable) found += strncmp(*variable, start, strlen(start)) == 0;
  return found;
}

static int number;
static struct option options[] = {{"number", required_argument, NULL, 'n'}, {"flag", no_argument, &number, 100}, {0}};

int main(int argc, char** argv, char** envp) {
  int rank, c, i;
  char text[64], argument[16], *words[8], *token, *rest;
  long sum = 0;
  time_t moment;
  struct tm* day;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  sprintf(text, "%d", rank);
  setenv("OWN", text, 1);
  if (rank == 0) setenv("ONLY_ZERO", "1", 1);
  if (rank == 1) unsetenv("GIVEN");
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: OWN=%s, ONLY_ZERO %d, GIVEN %s, %s\n", rank, getenv("OWN"), count("ONLY_ZERO="),
         getenv("GIVEN") ? getenv("GIVEN") : "unset", envp[0] != NULL ? "envp" : "nothing");

  sprintf(argument, "--num=%d", rank * 7);
  words[0] = "prog"; words[1] = "operand"; words[2] = argument; words[3] = "-ab"; words[4] = "--flag";
  words[5] = "-o"; words[6] = "out"; words[7] = NULL;
  while ((c = getopt_long(7, words, "abo:", options, NULL)) != -1) {
    printf("rank %d: option %d %s\n", rank, c, optarg ? optarg : "");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: operand %d is %s, number %d\n", rank, optind, words[optind], number);

  srand((unsigned)rank + 1);
  for (i = 0; i < 3; ++i) {
    sum += rand() % 1000;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: random %ld %.4f\n", rank, sum, drand48());

  sprintf(text, "%d,%d,%d", rank, rank + 1, rank + 2);
  for (token = strtok(text, ","), sum = 0; token != NULL; token = strtok(NULL, ",")) {
    sum = 10 * sum + atoi(token);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  moment = 86400L * 365 * rank;
  day = gmtime(&moment);
  errno = rank + 1;
  rest = strerror(errno);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: tokens %ld, year %d, %s\n", rank, sum, day->tm_year + 1900, rest);
  MPI_Finalize();
  return 0;
}
