#pragma once
// A hash table from blocks to small values: open addressing, linear probing, deletion by moving back what was
// probed past the gap. O(1) expected; at most 7 of 8 places are used. Its order depends on nothing but the
// keys and is never looked at.
#include <cstddef>
#include <utility>
#include <vector>

#include "pfssim/block_key.hpp"

namespace mpisim::pfs {

template <class Value>
class BlockMap {
 public:
  std::size_t size() const { return size_; }

  /// Null if there is none; valid until the next insertion or removal.
  Value* find(const BlockKey& key) {
    if (size_ == 0) return nullptr;
    const std::size_t place = place_of(key);
    return places_[place].used ? &places_[place].value : nullptr;
  }

  /// The key is not there yet.
  Value& insert(const BlockKey& key, Value value) {
    if ((size_ + 1) * 8 > places_.size() * 7) grow();
    Place& place = places_[place_of(key)];
    place = {key, std::move(value), true};
    ++size_;
    return place.value;
  }

  void erase(const BlockKey& key) {
    if (size_ == 0) return;
    std::size_t gap = place_of(key);
    if (!places_[gap].used) return;
    --size_;
    const std::size_t mask = places_.size() - 1;
    for (std::size_t next = (gap + 1) & mask; places_[next].used; next = (next + 1) & mask) {
      const std::size_t wanted = hash_of(places_[next].key) & mask;
      if (((next - wanted) & mask) < ((next - gap) & mask)) continue;  // the gap is before where it may stand
      places_[gap] = std::move(places_[next]);
      gap = next;
    }
    places_[gap] = {};
  }

 private:
  struct Place {
    BlockKey key;
    Value value{};
    bool used = false;
  };

  std::size_t place_of(const BlockKey& key) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash_of(key) & mask;
    while (places_[place].used && !(places_[place].key == key)) place = (place + 1) & mask;
    return place;
  }

  void grow() {
    constexpr std::size_t first_size = 16;
    std::vector<Place> old(places_.empty() ? first_size : places_.size() * 2);
    old.swap(places_);
    for (Place& place : old)
      if (place.used) places_[place_of(place.key)] = std::move(place);
  }

  std::vector<Place> places_;
  std::size_t size_ = 0;
};

}  // namespace mpisim::pfs
