#include "mpisim/error_handlers.hpp"

#include <array>

#include "mpisim/handles.hpp"

namespace mpisim::mpi {

bool error_is_fatal(Communicator* communicator, int error_code) {
  RankHandles& table = handles();
  if (communicator == nullptr) communicator = table.communicator(MPI_COMM_WORLD);
  const ErrorHandler* handler = table.error_handler(communicator->error_handler);
  if (handler == nullptr || handler->kind == ErrorHandler::Kind::fatal) return true;
  if (handler->kind == ErrorHandler::Kind::user) {
    int handle = communicator->handle;
    handler->function(&handle, &error_code);
  }
  return false;
}

int invoke_error_handler(Communicator* communicator, int error_code) {
  return error_is_fatal(communicator, error_code) ? -1 : error_code;
}

const char* error_class_text(int error_class) {
  struct Text {
    int code;
    const char* text;
  };
  static constexpr std::array<Text, 58> texts{{
      {MPI_SUCCESS, "MPI_SUCCESS: no error"},
      {MPI_ERR_BUFFER, "MPI_ERR_BUFFER: invalid buffer pointer"},
      {MPI_ERR_COUNT, "MPI_ERR_COUNT: invalid count argument"},
      {MPI_ERR_TYPE, "MPI_ERR_TYPE: invalid datatype"},
      {MPI_ERR_TAG, "MPI_ERR_TAG: invalid tag"},
      {MPI_ERR_COMM, "MPI_ERR_COMM: invalid communicator"},
      {MPI_ERR_RANK, "MPI_ERR_RANK: invalid rank"},
      {MPI_ERR_REQUEST, "MPI_ERR_REQUEST: invalid request"},
      {MPI_ERR_ROOT, "MPI_ERR_ROOT: invalid root"},
      {MPI_ERR_GROUP, "MPI_ERR_GROUP: invalid group"},
      {MPI_ERR_OP, "MPI_ERR_OP: invalid reduction operation"},
      {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY: invalid topology"},
      {MPI_ERR_DIMS, "MPI_ERR_DIMS: invalid dimensions"},
      {MPI_ERR_ARG, "MPI_ERR_ARG: invalid argument"},
      {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN: unknown error"},
      {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE: message truncated"},
      {MPI_ERR_OTHER, "MPI_ERR_OTHER: other error"},
      {MPI_ERR_INTERN, "MPI_ERR_INTERN: internal error"},
      {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS: error code is in the statuses"},
      {MPI_ERR_PENDING, "MPI_ERR_PENDING: pending request"},
      {MPI_ERR_ACCESS, "MPI_ERR_ACCESS: permission denied"},
      {MPI_ERR_AMODE, "MPI_ERR_AMODE: invalid access mode"},
      {MPI_ERR_ASSERT, "MPI_ERR_ASSERT: invalid assertion"},
      {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE: invalid file name"},
      {MPI_ERR_BASE, "MPI_ERR_BASE: invalid base address"},
      {MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION: error in a data conversion function"},
      {MPI_ERR_DISP, "MPI_ERR_DISP: invalid displacement"},
      {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP: data representation is defined already"},
      {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS: file exists"},
      {MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE: file is open somewhere"},
      {MPI_ERR_FILE, "MPI_ERR_FILE: invalid file handle"},
      {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY: info key too long"},
      {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY: no such info key"},
      {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE: info value too long"},
      {MPI_ERR_INFO, "MPI_ERR_INFO: invalid info object"},
      {MPI_ERR_IO, "MPI_ERR_IO: input/output error"},
      {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL: invalid keyval"},
      {MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE: invalid lock type"},
      {MPI_ERR_NAME, "MPI_ERR_NAME: service name not found"},
      {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM: out of memory"},
      {MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME: arguments differ between ranks"},
      {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE: no space left"},
      {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE: no such file"},
      {MPI_ERR_PORT, "MPI_ERR_PORT: invalid port name"},
      {MPI_ERR_QUOTA, "MPI_ERR_QUOTA: quota exceeded"},
      {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY: read-only file or file system"},
      {MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window"},
      {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC: wrong synchronization of one-sided calls"},
      {MPI_ERR_SERVICE, "MPI_ERR_SERVICE: invalid service name"},
      {MPI_ERR_SIZE, "MPI_ERR_SIZE: invalid size"},
      {MPI_ERR_SPAWN, "MPI_ERR_SPAWN: processes cannot be spawned"},
      {MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP: unsupported data representation"},
      {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION: unsupported operation"},
      {MPI_ERR_WIN, "MPI_ERR_WIN: invalid window"},
      {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE: target memory is not part of the window"},
      {MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH: memory cannot be attached"},
      {MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR: wrong flavour of window"},
      {MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED: memory cannot be shared"},
  }};
  for (const Text& entry : texts) {
    if (entry.text != nullptr && entry.code == error_class) return entry.text;
  }
  return "unknown error code";
}

}  // namespace mpisim::mpi
