#pragma once
// A data access as the program's call describes it (MPI-3.1 section 13.4), between the entry points and
// access.hpp: arguments are checked, the position found, the data brought into the file's representation.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "piosim/access.hpp"

namespace mpisim::pio {

enum class Pointer : std::uint8_t { explicit_offset, individual, shared };
enum class Kind : bool { read, write };

/// What the call says. The buffer of a read is written to.
struct DataCall {
  Kind kind = Kind::read;
  Pointer pointer = Pointer::individual;
  MPI_Offset offset = 0;  ///< explicit_offset: in etypes
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

/// The data of a call in the file's representation: the program's own buffer where that is the same.
class CallData {
 public:
  /// Of writes: converts. `error` gets the class of a conversion that failed.
  CallData(const DataCall& call, const mpi::Datatype& type, const View& view, int& error);
  std::uint64_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }
  /// Of reads: brings the first `bytes` bytes to the program's buffer. `memory_bytes` is told how much data
  /// of memory they are.
  int take(std::uint64_t bytes, std::uint64_t& memory_bytes);
  /// Data of memory that `bytes` bytes of a write stand for.
  std::uint64_t memory_bytes(std::uint64_t bytes) const;

 private:
  DataCall call_;
  mpi::TypePointer type_;  ///< unless the data is the program's own buffer
  const Representation* representation_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<std::byte[]> packed_;
  bool copies_ = true;  ///< between the program's buffer and packed_
  std::byte* data_ = nullptr;
};

/// A split collective that has begun (section 13.4.5).
struct SplitCall {
  Kind kind = Kind::read;
  Pointer pointer = Pointer::individual;
  mpi::Request* request = nullptr;
};

// What the entry points do after MPISIM_CALL. All return what the call returns.
int access_blocking(MPI_File fh, const DataCall& call, MPI_Status* status);
int access_collectively(MPI_File fh, const DataCall& call, MPI_Status* status);
int access_nonblocking(MPI_File fh, const DataCall& call, MPI_Request* request);
int access_collectively_nonblocking(MPI_File fh, const DataCall& call, MPI_Request* request);
int begin_split(MPI_File fh, const DataCall& call);
int end_split(MPI_File fh, Kind kind, Pointer pointer, MPI_Status* status);

}  // namespace mpisim::pio
