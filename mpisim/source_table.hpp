#pragma once
// Intrusive lists by source.
#include <cstdint>
#include <vector>

namespace mpisim::mpi {

/// Intrusive FIFO lists hashed by source. T has source key via `source_of`, and
/// next_in_source/previous_in_source.
template <typename T, int (*source_of)(const T&)>
class SourceTable {
 public:
  void push_back(T& item) {
    if (count_ >= buckets_.size() * 2) grow();
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
  /// First item, in insertion order, among those of the bucket of `source` for which predicate holds.
  template <typename Predicate>
  T* find(int source, Predicate predicate) const {
    if (count_ == 0) return nullptr;
    for (T* item = bucket(source).head; item != nullptr; item = item->next_in_source) {
      if (predicate(*item)) return item;
    }
    return nullptr;
  }
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const Bucket& b : buckets_) {
      for (T* item = b.head; item != nullptr; item = item->next_in_source) visit(*item);
    }
  }
  std::size_t size() const { return count_; }

 private:
  struct Bucket {
    T* head = nullptr;
    T* tail = nullptr;
  };
  const Bucket& bucket(int source) const {
    return buckets_[(static_cast<std::uint32_t>(source) * 0x9E3779B1U >> 7) & (buckets_.size() - 1)];
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
    std::vector<Bucket> old(buckets_.empty() ? 2 : buckets_.size() * 4);
    old.swap(buckets_);
    for (const Bucket& b : old) {
      for (T* item = b.head; item != nullptr;) {
        T* following = item->next_in_source;
        append(bucket(source_of(*item)), *item);
        item = following;
      }
    }
  }
  std::vector<Bucket> buckets_;
  std::size_t count_ = 0;
};

}  // namespace mpisim::mpi
