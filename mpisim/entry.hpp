#pragma once
// How C entry points are written. Each is implemented once, under its PMPI name; the MPI name is a weak alias
// that a program's own wrapper replaces.
#include "mpisim/include/mpi.h"

/// At global scope: MPISIM_ENTRY(int, Comm_size, (MPI_Comm comm, int* size)) { MPISIM_CALL(MPI_Comm_size,
/// local); ... } defines mpisim_PMPI_Comm_size and its alias mpisim_MPI_Comm_size. The signature must be that
/// of mpi.h.
#define MPISIM_ENTRY(result, name, arguments)                                                                \
  extern "C" __attribute__((visibility("default"))) result PMPI_##name arguments;                            \
  extern "C"                                                                                                 \
      __attribute__((weak, visibility("default"), alias("mpisim_PMPI_" #name))) result MPI_##name arguments; \
  extern "C" result PMPI_##name arguments
