#pragma once
// Datatypes: compact trees, never flattened; packing walks the tree.
#include <cstdint>
#include <memory>
#include <vector>

namespace mpisim::mpi {

/// A committed or uncommitted datatype. Reference counted by hand (MPI_Type_free may come before the
/// communication that uses the type ends); predefined types are immortal.
class Datatype {
 public:
  virtual ~Datatype() = default;
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  std::uint64_t size() const { return size_; }  ///< bytes of data in one element
  std::int64_t lower_bound() const { return lower_bound_; }
  std::int64_t extent() const { return extent_; }
  std::int64_t true_lower_bound() const { return true_lower_bound_; }
  std::int64_t true_extent() const { return true_extent_; }
  /// Any count of consecutive elements is one run of bytes that begins at the buffer's address.
  bool contiguous() const { return contiguous_; }
  bool committed() const { return committed_; }
  bool predefined() const { return predefined_; }
  /// Number of basic elements in one element (for MPI_Get_elements).
  std::uint64_t basic_elements() const { return basic_elements_; }
  /// The predefined handle if all basic elements are of one predefined type, else 0 (MPI_DATATYPE_NULL).
  int uniform_basic() const { return uniform_basic_; }

  /// Packs bytes [offset, offset + bytes) of the packed form of `count` elements at `source` into `packed`.
  virtual void pack(const void* source, std::uint64_t count, std::uint64_t offset, std::uint64_t bytes,
                    void* packed) const = 0;
  /// The reverse: writes `bytes` packed bytes that stand at `offset` of the packed form into the elements at
  /// `target`.
  virtual void unpack(void* target, std::uint64_t count, std::uint64_t offset, std::uint64_t bytes,
                      const void* packed) const = 0;

  void retain() const { ++references_; }
  void release() const {
    if (--references_ == 0 && !predefined_) delete this;
  }

 protected:
  Datatype() = default;
  std::uint64_t size_ = 0;
  std::int64_t lower_bound_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t true_lower_bound_ = 0;
  std::int64_t true_extent_ = 0;
  std::uint64_t basic_elements_ = 0;
  int uniform_basic_ = 0;
  bool contiguous_ = false;
  bool committed_ = false;
  bool predefined_ = false;

 private:
  mutable std::uint32_t references_ = 1;
};

/// The immortal type of raw bytes (MPI_BYTE), for internal messages.
const Datatype& byte_type();

}  // namespace mpisim::mpi
