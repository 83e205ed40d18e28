#include "mpisim/checks.hpp"

namespace mpisim::mpi {

Communicator* check_communicator(MPI_Comm handle, int& error) {
  Communicator* comm = handles().communicator(handle);
  error = MPI_SUCCESS;
  if (comm == nullptr) {
    error = raise(nullptr, MPI_ERR_COMM,
                  handle == MPI_COMM_NULL
                      ? std::string("the communicator is MPI_COMM_NULL")
                      : fmt::format("{:#x} is no communicator (freed, or never made)", handle));
  }
  return comm;
}

Arguments check_envelope(MPI_Comm handle, int peer, int tag, Direction direction) {
  Arguments checked;
  checked.comm = check_communicator(handle, checked.error);
  if (checked.comm == nullptr) return checked;
  const int size = checked.comm->peers().size();
  const bool receive = direction == Direction::receive;
  if (peer != MPI_PROC_NULL && !(receive && peer == MPI_ANY_SOURCE) && (peer < 0 || peer >= size)) {
    checked.error = raise(checked.comm, MPI_ERR_RANK,
                          fmt::format("{} rank {} is not in the communicator, which has ranks 0 to {}",
                                      receive ? "source" : "destination", peer, size - 1));
    return checked;
  }
  if (tag < 0 && !(receive && tag == MPI_ANY_TAG)) {
    checked.error = raise(checked.comm, MPI_ERR_TAG, fmt::format("tag {} is negative", tag));
  }
  return checked;
}

Arguments examine_message(MPI_Comm handle, const void* buffer, int count, MPI_Datatype type_handle, int peer,
                          int tag, Direction direction) {
  Arguments checked = check_envelope(handle, peer, tag, direction);
  if (checked.error != MPI_SUCCESS) return checked;
  if (count < 0) {
    checked.error = raise(checked.comm, MPI_ERR_COUNT, fmt::format("count {} is negative", count));
    return checked;
  }
  checked.type = handles().datatype(type_handle);
  if (checked.type == nullptr) {
    checked.error = raise(checked.comm, MPI_ERR_TYPE,
                          type_handle == MPI_DATATYPE_NULL
                              ? std::string("the datatype is MPI_DATATYPE_NULL")
                              : fmt::format("{:#x} is no datatype (freed, or never made)", type_handle));
    return checked;
  }
  if (!checked.type->committed()) {
    checked.error = raise(checked.comm, MPI_ERR_TYPE, "the datatype is not committed (MPI_Type_commit)");
    return checked;
  }
  // MPI_BOTTOM is null and legal with types of absolute addresses.
  if (buffer == nullptr && count > 0 && checked.type->size() > 0 && checked.type->predefined()) {
    checked.error = raise(checked.comm, MPI_ERR_BUFFER,
                          fmt::format("the buffer is a null pointer, with count {}", count));
  }
  return checked;
}

}  // namespace mpisim::mpi
