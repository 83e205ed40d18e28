#pragma once
// Attributes: values that programs cache on communicators, datatypes and windows under keys of their own.
#include <cstdint>
#include <utility>
#include <vector>

#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

enum class AttributeOwner : std::uint8_t { communicator, datatype, window };

/// A key. Lives until it is freed and no attribute uses it any more. All handle types are int, so that the
/// callbacks of the three kinds of owner have one C type.
struct Keyval {
  using Copy = int(int, int, void*, void*, void*, int*);
  using Delete = int(int, int, void*, void*);
  AttributeOwner owner;
  Copy* copy;
  Delete* remove;
  void* extra_state;
  int handle = 0;
  std::uint32_t references = 1;  ///< the program's handle and every attribute

  void release() {
    if (--references == 0) delete this;
  }
};

/// The attributes of one object, in the order in which they were set.
class AttributeSet {
 public:
  struct Entry {
    Keyval* keyval;
    void* value;
  };

  AttributeSet() = default;
  ~AttributeSet();
  AttributeSet(const AttributeSet&) = delete;
  AttributeSet& operator=(const AttributeSet&) = delete;

  const Entry* find(const Keyval* keyval) const;
  /// Sets or replaces; a replaced value's delete callback runs first, and its error is returned.
  int set(int object, Keyval* keyval, void* value);
  /// Calls the delete callback, then forgets the attribute. An error of the callback keeps it.
  int erase(int object, const Keyval* keyval);
  /// For MPI_*_free: deletes all, the last set first; stops at the first error.
  int erase_all(int object);
  /// For MPI_*_dup: calls the copy callbacks of `from` (object `old_object`) and sets what they return here.
  int copy_from(const AttributeSet& from, int old_object);

 private:
  std::vector<Entry> entries_;
};

}  // namespace mpisim::mpi
