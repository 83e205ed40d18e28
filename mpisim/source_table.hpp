#pragma once
// Intrusive lists by source.
#include <cstdint>
#include <memory>
#include <utility>

namespace mpisim::mpi {

/// Intrusive FIFO lists, hashed by source once there are many items. T has source key via `source_of`, and
/// next_in_source/previous_in_source.
template <typename T, int (*source_of)(const T&)>
class SourceTable {
 public:
  void push_back(T& item) {
    if (count_ >= most_per_bucket * (mask_ + 1)) [[unlikely]]
      grow();
    ++count_;
    append(bucket(source_of(item)), item);
  }
  void remove(T& item) {
    Bucket& b = bucket(source_of(item));
    (item.previous_in_source != nullptr ? item.previous_in_source->next_in_source : b.head) =
        item.next_in_source;
    (item.next_in_source != nullptr ? item.next_in_source->previous_in_source : b.tail) =
        item.previous_in_source;
    item.next_in_source = item.previous_in_source = nullptr;
    --count_;
  }
  /// First item, in insertion order, among those of the bucket of `source` for which predicate holds; others
  /// than those of `source` may be shown to it.
  template <typename Predicate>
  T* find(int source, Predicate predicate) const {
    for (T* item = bucket(source).head; item != nullptr; item = item->next_in_source) {
      if (predicate(*item)) return item;
    }
    return nullptr;
  }
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (T* item = (mask_ == 0 ? only_ : buckets_[i]).head; item != nullptr; item = item->next_in_source)
        visit(*item);
    }
  }
  std::size_t size() const { return count_; }

 private:
  static constexpr std::uint32_t most_per_bucket = 4;
  struct Bucket {
    T* head = nullptr;
    T* tail = nullptr;
  };
  const Bucket& bucket(int source) const {
    if (mask_ == 0) return only_;
    return buckets_[(static_cast<std::uint32_t>(source) * 0x9E3779B1U >> 7) & mask_];
  }
  Bucket& bucket(int source) {
    return const_cast<Bucket&>(static_cast<const SourceTable*>(this)->bucket(source));
  }
  static void append(Bucket& b, T& item) {
    item.next_in_source = nullptr;
    item.previous_in_source = b.tail;
    (b.tail != nullptr ? b.tail->next_in_source : b.head) = &item;
    b.tail = &item;
  }
  void grow() {
    // Items of one source stay in order because each old bucket is walked from its head.
    const std::uint32_t old_mask = mask_;
    std::unique_ptr<Bucket[]> old = std::move(buckets_);
    mask_ = (mask_ + 1) * 8 - 1;
    buckets_ = std::make_unique<Bucket[]>(mask_ + 1);
    for (std::uint32_t i = 0; i <= old_mask; ++i) {
      for (T* item = (old_mask == 0 ? only_ : old[i]).head; item != nullptr;) {
        T* following = item->next_in_source;
        append(bucket(source_of(*item)), *item);
        item = following;
      }
    }
  }
  Bucket only_;                        ///< as long as there are few items
  std::unique_ptr<Bucket[]> buckets_;  ///< then mask_ + 1 of them, a power of two
  std::uint32_t mask_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace mpisim::mpi
