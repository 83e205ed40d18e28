#pragma once
// Checks of arguments at the head of C entry points. Each macro returns from the entry point with the raised
// error's class if the argument is wrong.
#include <fmt/format.h>

#include <string>

#include "mpisim/core.hpp"
#include "mpisim/entry.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"

namespace mpisim::mpi {

/// "comm is MPI_COMM_NULL", "oldtype is no valid datatype: it was freed", ... `handle` must be of no use.
std::string bad_handle(const char* argument, HandleKind kind, int handle);

}  // namespace mpisim::mpi

/// MPISIM_REQUIRE(count >= 0, comm, MPI_ERR_COUNT, "count is {}", count)
#define MPISIM_REQUIRE(condition, comm, error_class, ...) \
  if (!(condition)) return ::mpisim::mpi::raise(comm, error_class, fmt::format(__VA_ARGS__))

#define MPISIM_REQUIRE_POINTER(pointer, comm) \
  MPISIM_REQUIRE((pointer) != nullptr, comm, MPI_ERR_ARG, "{} is a null pointer", #pointer)

/// A constructor's result: null if the call fails.
#define MPISIM_NEW_COMMUNICATOR(pointer, comm) \
  MPISIM_REQUIRE_POINTER(pointer, comm);       \
  *(pointer) = MPI_COMM_NULL

// Each declares `variable` as the object behind the handle argument.
#define MPISIM_OBJECT(variable, lookup, comm, error_class, kind, argument) \
  const auto variable = ::mpisim::mpi::handles().lookup(argument);         \
  if (!(variable))                                                         \
  return ::mpisim::mpi::raise(                                             \
      comm, error_class, ::mpisim::mpi::bad_handle(#argument, ::mpisim::mpi::HandleKind::kind, argument))

#define MPISIM_COMMUNICATOR(variable, argument) \
  MPISIM_OBJECT(variable, communicator, nullptr, MPI_ERR_COMM, communicator, argument)
#define MPISIM_DATATYPE(variable, argument) \
  MPISIM_OBJECT(variable, datatype, nullptr, MPI_ERR_TYPE, datatype, argument)
#define MPISIM_GROUP(variable, argument) \
  MPISIM_OBJECT(variable, group, nullptr, MPI_ERR_GROUP, group, argument)
#define MPISIM_INFO(variable, argument) MPISIM_OBJECT(variable, info, nullptr, MPI_ERR_INFO, info, argument)
