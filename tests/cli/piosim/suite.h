// What suite.c and corners.c share: checks with the place of the first faults, one line for each part of a suite.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, faults;
static char name[1024];

static void fault(const char *part, int line) {
  if (faults++ < 3) printf("%s: rank %d, line %d\n", part, rank, line);
}
#define MUST(part, condition) do { if (!(condition)) fault(part, __LINE__); } while (0)

static void done(const char *part) {
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("%s: ok\n", part);
  faults = 0;
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_new(int more) {
  MPI_File fh;
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | more, MPI_INFO_NULL, &fh);
  return fh;
}

static inline int class_of(int error) {
  int error_class;
  MPI_Error_class(error, &error_class);
  return error_class;
}

static inline int count_of(const MPI_Status *status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}
