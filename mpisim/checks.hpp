#pragma once
// Argument checks of the point-to-point entry points. Each raises the MPI error and returns its class, or
// MPI_SUCCESS.
#include <fmt/format.h>

#include <cstdint>

#include "mpisim/core.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

/// Arguments that all sends and receives share, checked and turned from handles into objects.
struct Arguments {
  Communicator* comm = nullptr;
  const Datatype* type = nullptr;
  int error = MPI_SUCCESS;
};

enum class Direction : std::uint8_t { send, receive };

/// Null if the handle is no live communicator; the error has been raised then.
Communicator* check_communicator(MPI_Comm handle, int& error);
/// Finds out what is wrong with a message, or that nothing is.
Arguments examine_message(MPI_Comm comm, const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                          Direction direction);
inline Arguments check_message(MPI_Comm handle, const void* buffer, int count, MPI_Datatype type_handle,
                               int peer, int tag, Direction direction) {
  RankHandles& known = handles();
  Communicator* comm = known.communicator(handle);
  const Datatype* type = known.datatype(type_handle);
  const bool usual = comm != nullptr && type != nullptr && peer >= 0 && peer < comm->peers().size() &&
                     tag >= 0 && count >= 0 && type->committed() && buffer != nullptr;
  if (usual) [[likely]]
    return {comm, type, MPI_SUCCESS};
  return examine_message(handle, buffer, count, type_handle, peer, tag, direction);
}
/// peer and tag only (probes).
Arguments check_envelope(MPI_Comm comm, int peer, int tag, Direction direction);

}  // namespace mpisim::mpi
