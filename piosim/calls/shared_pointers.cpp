// Shared file pointers as such (MPI-3.1 section 13.4.4); accesses with them are in data.cpp.
#include "piosim/agreement.hpp"
#include "piosim/arguments.hpp"
#include "piosim/seek.hpp"
#include "piosim/shared_state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

MPISIM_ENTRY(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence)) {
  MPISIM_CALL(MPI_File_seek_shared, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(!file->sequential(), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  enter(CollectiveCall::seek_shared);
  Communicator& comm = file->comm();
  const auto wanted = static_cast<std::uint64_t>(offset);
  const auto from = static_cast<std::uint64_t>(whence);
  std::uint64_t agreed[4] = {wanted, ~wanted, from, ~from};
  maximum(comm, agreed);
  MPISIM_FILE_REQUIRE(agreed[0] == ~agreed[1] && agreed[2] == ~agreed[3], file, MPI_ERR_NOT_SAME,
                      "offset or whence differs between ranks");
  // Rank 0 acts for all, and nobody goes on before it has.
  SeekTarget target;
  std::uint64_t error_class[1] = {};
  if (comm.rank() == 0) {
    const std::uint64_t current = whence == MPI_SEEK_CUR ? advance_shared_pointer(*file, 0) : 0;
    target = seek_target(*file, current, offset, whence);
    error_class[0] = static_cast<std::uint64_t>(target.failure.error_class);
    if (target.failure.ok()) set_shared_pointer(*file, target.position);
  }
  broadcast(comm, error_class);
  if (error_class[0] == MPI_SUCCESS) return MPI_SUCCESS;
  if (target.failure.ok()) return raise_silently(file, static_cast<int>(error_class[0]));
  return raise_error(file, target.failure.error_class, target.failure.text);
}

MPISIM_ENTRY(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset)) {
  MPISIM_CALL(MPI_File_get_position_shared, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(offset, file);
  MPISIM_FILE_REQUIRE(!file->sequential(), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  *offset = static_cast<MPI_Offset>(advance_shared_pointer(*file, 0));
  return MPI_SUCCESS;
}
