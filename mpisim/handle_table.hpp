#pragma once
// Tables that turn integer handles into objects. A slot's generation changes when its handle is freed, so
// that a stale handle is recognised (until the same slot has been reused 64 times).
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mpisim::mpi {

/// Bits 30..27 of a handle; the predefined handles of mpi.h follow the same numbers.
enum class HandleKind : unsigned {
  communicator = 1,
  datatype,
  group,
  operation,
  request,
  info,
  error_handler,
  keyval,
  message,
  file,
  window
};

namespace handle_bits {
constexpr unsigned index_bits = 20;
constexpr unsigned generation_bits = 6;
constexpr unsigned dynamic_bit = 1U << 26;
constexpr unsigned max_index = 1U << index_bits;

constexpr int predefined(HandleKind kind, unsigned index) {
  return static_cast<int>(static_cast<unsigned>(kind) << 27 | index);
}
constexpr int dynamic(HandleKind kind, unsigned generation, unsigned index) {
  return static_cast<int>(static_cast<unsigned>(kind) << 27 | dynamic_bit | generation << index_bits | index);
}
constexpr unsigned kind_of(int handle) {
  return static_cast<unsigned>(handle) >> 27;
}
constexpr bool is_dynamic(int handle) {
  return (static_cast<unsigned>(handle) & dynamic_bit) != 0;
}
constexpr unsigned index_of(int handle) {
  return static_cast<unsigned>(handle) & (max_index - 1);
}
constexpr unsigned generation_of(int handle) {
  return static_cast<unsigned>(handle) >> index_bits & ((1U << generation_bits) - 1);
}
/// Index of a predefined handle of `kind`, or 0 (the index of the kind's null handle) if it is none.
constexpr unsigned predefined_index(HandleKind kind, int handle) {
  return kind_of(handle) == static_cast<unsigned>(kind) && !is_dynamic(handle) ? index_of(handle) : 0;
}
}  // namespace handle_bits

[[noreturn]] void too_many_handles(HandleKind kind);

/// Objects of one kind of one rank; one pointer wide as long as it was never used. Does not own the objects.
template <class T, HandleKind kind>
class HandleTable {
 public:
  /// Handle of a new entry; ends the run if more than a million objects of the kind live at once.
  int add(T* object) {
    if (!slots_) slots_ = std::make_unique<Slots>();
    Slots& slots = *slots_;
    unsigned index;
    if (slots.free_head != none) {
      index = slots.free_head;
      slots.free_head = slots.entries[index].next_free;
    } else {
      index = static_cast<unsigned>(slots.entries.size());
      if (index >= handle_bits::max_index) too_many_handles(kind);
      slots.entries.emplace_back();
    }
    Entry& entry = slots.entries[index];
    entry.object = object;
    ++slots.live;
    return handle_bits::dynamic(kind, entry.generation, index);
  }

  /// Null if the handle is no live entry of this table.
  T* find(int handle) const {
    const Entry* entry = live_entry(handle);
    return entry ? entry->object : nullptr;
  }

  /// Takes the entry out; returns its object, or null if there is none.
  T* remove(int handle) {
    Entry* entry = const_cast<Entry*>(live_entry(handle));
    if (!entry) return nullptr;
    T* object = std::exchange(entry->object, nullptr);
    entry->generation = (entry->generation + 1) % (1U << handle_bits::generation_bits);
    entry->next_free = slots_->free_head;
    slots_->free_head = handle_bits::index_of(handle);
    --slots_->live;
    return object;
  }

  std::size_t live() const { return slots_ ? slots_->live : 0; }

  /// Calls visit(handle, object) for every live entry, in index order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (!slots_) return;
    for (unsigned i = 0; i < slots_->entries.size(); ++i)
      if (T* object = slots_->entries[i].object)
        visit(handle_bits::dynamic(kind, slots_->entries[i].generation, i), object);
  }

 private:
  static constexpr unsigned none = ~0U;
  struct Entry {
    T* object = nullptr;
    unsigned generation = 0;
    unsigned next_free = none;
  };
  struct Slots {
    std::vector<Entry> entries;
    unsigned free_head = none;
    std::size_t live = 0;
  };

  const Entry* live_entry(int handle) const {
    using namespace handle_bits;
    if (!slots_ || kind_of(handle) != static_cast<unsigned>(kind) || !is_dynamic(handle)) return nullptr;
    const unsigned index = index_of(handle);
    if (index >= slots_->entries.size()) return nullptr;
    const Entry& entry = slots_->entries[index];
    return entry.object && entry.generation == generation_of(handle) ? &entry : nullptr;
  }

  std::unique_ptr<Slots> slots_;
};

}  // namespace mpisim::mpi
