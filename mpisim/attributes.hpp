#pragma once
// Attributes: values that programs cache on communicators, datatypes and windows under keys of their own.
#include <cstdint>
#include <utility>
#include <vector>

#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

enum class AttributeOwner : std::uint8_t { communicator, datatype, window };

/// A key. Lives, under its handle, until it is freed and no attribute uses it any more (MPI-3.1
/// section 6.7.2: attributes of a freed key can still be got and deleted). All handle types are int, so that
/// the callbacks of the three kinds of owner have one C type.
struct Keyval {
  using Copy = int(int, int, void*, void*, void*, int*);
  using Delete = int(int, int, void*, void*);
  AttributeOwner owner;
  Copy* copy;
  Delete* remove;
  void* extra_state;
  HandleTable<Keyval, HandleKind::keyval>* table;  ///< null once the rank has ended
  int handle = 0;
  std::uint32_t references = 1;  ///< the program, until it has freed the key, and every attribute
  bool freed = false;

  /// May be called again while attributes use the key.
  void free() {
    if (!std::exchange(freed, true)) release();
  }
  void release() {
    if (--references > 0) return;
    if (table) table->remove(handle);
    delete this;
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
