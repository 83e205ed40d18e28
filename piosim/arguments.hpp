#pragma once
// Checks of arguments at the head of the entry points of files; see mpisim/arguments.hpp.
#include "mpisim/arguments.hpp"
#include "piosim/file.hpp"

/// MPISIM_FILE_REQUIRE(offset >= 0, file, MPI_ERR_ARG, "offset is {}", offset): through the file's handler.
#define MPISIM_FILE_REQUIRE(condition, file, error_class, ...) \
  if (!(condition)) return ::mpisim::pio::raise_error(file, error_class, fmt::format(__VA_ARGS__))

#define MPISIM_FILE_POINTER(pointer, file) \
  MPISIM_FILE_REQUIRE((pointer) != nullptr, file, MPI_ERR_ARG, "{} is a null pointer", #pointer)

/// Declares `variable` as the file behind the handle argument.
#define MPISIM_FILE(variable, argument)                                     \
  ::mpisim::pio::File* const variable = ::mpisim::pio::find_file(argument); \
  MPISIM_FILE_REQUIRE(variable, nullptr, MPI_ERR_FILE, "{}", ::mpisim::pio::bad_file(#argument, argument))

/// For calls that are erroneous before all nonblocking accesses and split collectives of the file are
/// complete (MPI-3.1 sections 13.2.2, 13.2.4, 13.2.5, 13.3 and 13.6.1).
#define MPISIM_FILE_COMPLETE(file) \
  MPISIM_FILE_REQUIRE((file)->unfinished == 0, file, MPI_ERR_IO, "{}", ::mpisim::pio::unfinished(*(file)))

#define MPISIM_FILE_TYPE(variable, argument, file)                                                          \
  const ::mpisim::mpi::Datatype* variable = ::mpisim::mpi::handles().datatype(argument);                    \
  MPISIM_FILE_REQUIRE(variable, file, MPI_ERR_TYPE, "{}",                                                   \
                      ::mpisim::mpi::bad_handle(#argument, ::mpisim::mpi::HandleKind::datatype, argument)); \
  MPISIM_FILE_REQUIRE((variable)->committed() || (variable)->predefined(), file, MPI_ERR_TYPE,              \
                      "{} is not committed (MPI_Type_commit)", #argument)
