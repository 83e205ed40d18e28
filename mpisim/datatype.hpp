#pragma once
// Datatypes: compact trees, never flattened; packing walks the tree.
#include <cstdint>
#include <memory>
#include <vector>

namespace mpisim::mpi {

struct TypeDescription;  // mpisim/type_description.hpp: how the program made it, name, attributes

/// Receives the pieces of memory that a range of a datatype's packed form stands for, in packed order.
class RunSink {
 public:
  virtual ~RunSink() = default;
  /// `count` runs of `length` bytes; the first begins at `displacement`, each next one `stride` bytes
  /// further.
  virtual void runs(std::int64_t displacement, std::uint64_t length, std::int64_t stride,
                    std::uint64_t count) = 0;
};

/// Receives the basic elements of a datatype in packed order.
class BasicSink {
 public:
  virtual ~BasicSink() = default;
  /// One element of the predefined type `type` (index of its handle) at `displacement`. Pairs come as their
  /// two members.
  virtual void basic(std::int64_t displacement, int type) = 0;
};

/// A committed or uncommitted datatype. Reference counted by hand (MPI_Type_free may come before the
/// communication that uses the type ends); predefined types are immortal.
class Datatype {
 public:
  virtual ~Datatype();
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  std::uint64_t size() const { return size_; }  ///< bytes of data in one element
  std::int64_t lower_bound() const { return lower_bound_; }
  std::int64_t extent() const { return extent_; }
  std::int64_t true_lower_bound() const { return true_lower_bound_; }
  std::int64_t true_extent() const { return true_extent_; }
  /// Any count of consecutive elements is one run of bytes that begins at the buffer's address.
  bool contiguous() const { return contiguous_; }
  /// One element is one run of size() bytes, at true_lower_bound().
  bool single_run() const { return single_run_; }
  bool committed() const { return committed_; }
  bool predefined() const { return predefined_; }
  /// Number of basic elements in one element (for MPI_Get_elements).
  std::uint64_t basic_elements() const { return basic_elements_; }
  /// The predefined handle if all basic elements are of one predefined type (pair types count as one such
  /// type), else 0.
  int uniform_basic() const { return uniform_basic_; }
  /// The program's handle, or 0 if the program has none (any more).
  int handle() const { return handle_; }
  /// Strictest alignment of the basic elements, bytes.
  std::uint32_t alignment() const { return alignment_; }
  /// A lower (upper) bound was set by MPI_LB (MPI_UB) or MPI_Type_create_resized somewhere inside.
  bool explicit_lower_bound() const { return explicit_lower_bound_; }
  bool explicit_upper_bound() const { return explicit_upper_bound_; }

  /// Packs bytes [offset, offset + bytes) of the packed form of `count` elements at `source` into `packed`.
  void pack(const void* source, std::uint64_t count, std::uint64_t offset, std::uint64_t bytes,
            void* packed) const;
  /// The reverse: writes `bytes` packed bytes that stand at `offset` of the packed form into the elements at
  /// `target`.
  void unpack(void* target, std::uint64_t count, std::uint64_t offset, std::uint64_t bytes,
              const void* packed) const;
  /// Shows bytes [offset, offset + bytes) of the packed form of consecutive elements, the first of which
  /// begins at displacement `base`, as runs of memory. Costs O(depth + runs) (indexed types: + log of their
  /// blocks).
  void visit(std::int64_t base, std::uint64_t offset, std::uint64_t bytes, RunSink& sink) const;
  /// Shows the basic elements of one element at displacement `base`.
  virtual void visit_basics(std::int64_t base, BasicSink& sink) const = 0;
  /// Basic elements that lie wholly in the first `bytes` bytes of one element's packed form; `bytes` <
  /// size().
  virtual std::uint64_t basic_elements_in(std::uint64_t bytes) const = 0;

  void retain() const {
    if (!predefined_) ++references_;
  }
  void release() const {
    if (!predefined_ && --references_ == 0) delete this;
  }

  void commit() { committed_ = true; }
  void set_handle(int handle) { handle_ = handle; }
  /// Handles that the program has for it: MPI_Type_get_contents gives another for the same object.
  std::uint32_t handles = 0;
  /// Made when first asked for.
  TypeDescription& description();
  const TypeDescription* description_if_any() const { return description_.get(); }

 protected:
  Datatype();
  /// Like visit, inside one element.
  virtual void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                             RunSink& sink) const = 0;

  std::uint64_t size_ = 0;
  std::int64_t lower_bound_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t true_lower_bound_ = 0;
  std::int64_t true_extent_ = 0;
  std::uint64_t basic_elements_ = 0;
  int uniform_basic_ = 0;
  int handle_ = 0;
  std::uint32_t alignment_ = 1;
  bool contiguous_ = false;
  bool single_run_ = false;
  bool committed_ = false;
  bool predefined_ = false;
  bool explicit_lower_bound_ = false;
  bool explicit_upper_bound_ = false;

 private:
  mutable std::uint32_t references_ = 1;
  std::unique_ptr<TypeDescription> description_;
};

/// Holds one reference to a datatype.
class TypePointer {
 public:
  TypePointer() = default;
  /// Takes over the caller's reference.
  static TypePointer adopt(Datatype* type) {
    TypePointer pointer;
    pointer.type_ = type;
    return pointer;
  }
  /// Adds a reference of its own.
  static TypePointer share(const Datatype& type) {
    type.retain();
    return adopt(const_cast<Datatype*>(&type));
  }
  TypePointer(TypePointer&& other) noexcept : type_(other.type_) { other.type_ = nullptr; }
  TypePointer(const TypePointer& other) : type_(other.type_) {
    if (type_) type_->retain();
  }
  TypePointer& operator=(TypePointer other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~TypePointer() {
    if (type_) type_->release();
  }
  Datatype* get() const { return type_; }
  Datatype& operator*() const { return *type_; }
  Datatype* operator->() const { return type_; }
  explicit operator bool() const { return type_ != nullptr; }
  /// Gives the reference away.
  Datatype* detach() {
    Datatype* type = type_;
    type_ = nullptr;
    return type;
  }

 private:
  Datatype* type_ = nullptr;
};

/// The immortal type of raw bytes (MPI_BYTE), for internal messages.
const Datatype& byte_type();

}  // namespace mpisim::mpi
