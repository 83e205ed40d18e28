#include "pfssim/block_cache.hpp"

#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "pfssim/block_map.hpp"

using namespace mpisim;
using pfs::BlockCache;
using pfs::BlockKey;

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

/// Makes room and inserts.
BlockCache::Slot put(BlockCache& cache, const BlockKey& key) {
  const BlockCache::Slot victim = cache.victim(key);
  if (victim != BlockCache::none) cache.erase(victim);
  return cache.insert(key);
}

}  // namespace

TEST_CASE("a block's bookkeeping takes at most 64 bytes") {
  STATIC_REQUIRE(pfs::block_bookkeeping <= 64);
}

TEST_CASE("fully associative: the least recently used block goes first") {
  BlockCache cache(3, 0, 1);
  CHECK(cache.capacity() == 3);
  for (std::uint64_t index = 0; index < 3; ++index) put(cache, {index, 0, 0});
  cache.touch(cache.find({0, 0, 0}));
  CHECK(cache.at(cache.victim({9, 0, 0})).key == BlockKey{1, 0, 0});
  put(cache, {9, 0, 0});
  CHECK(cache.find({1, 0, 0}) == BlockCache::none);
  CHECK(cache.find({0, 0, 0}) != BlockCache::none);
  CHECK(cache.at(cache.victim({8, 0, 0})).key == BlockKey{2, 0, 0});
}

TEST_CASE("direct-mapped: neighbours in the file are in different sets, across cells, too") {
  BlockCache cache(4, 1, 2);  // 2 cells: blocks of the file are (cell 0, 0), (cell 1, 0), (cell 0, 1), ...
  for (std::uint64_t block = 0; block < 4; ++block)
    put(cache, {block / 2, 0, static_cast<std::uint32_t>(block % 2)});
  CHECK(cache.size() == 4);
  put(cache, {2, 0, 0});  // block 4 of the file: where block 0 was
  CHECK(cache.size() == 4);
  CHECK(cache.find({0, 0, 0}) == BlockCache::none);
  CHECK(cache.find({0, 0, 1}) != BlockCache::none);
}

TEST_CASE("any number of ways: the same blocks as lists of sets have") {
  for (const std::uint64_t ways : {0, 1, 2, 3, 8, 16}) {
    const std::uint64_t blocks = 16 / (ways == 0 ? 16 : ways) * (ways == 0 ? 16 : ways);
    BlockCache cache(16, ways, 1);
    REQUIRE(cache.capacity() == blocks);
    const std::uint64_t sets = ways == 0 ? 1 : blocks / ways;
    std::map<std::uint64_t, std::list<std::uint64_t>> model;  // of each set, the latest first
    Random random(ways + 1);
    for (int i = 0; i < 20'000; ++i) {
      const BlockKey key{random.below(50), 0, 0};
      std::list<std::uint64_t>& set = model[key.index % sets];
      const auto kind = random.below(10);
      const BlockCache::Slot slot = cache.find(key);
      const bool there = std::find(set.begin(), set.end(), key.index) != set.end();
      REQUIRE((slot != BlockCache::none) == there);
      if (there) set.remove(key.index);
      if (kind == 0) {
        if (there) cache.erase(slot);
        continue;
      }
      set.push_front(key.index);
      if (there)
        cache.touch(slot);
      else
        put(cache, key);
      if (set.size() > blocks / sets) set.pop_back();
    }
    std::size_t count = 0;
    for (const auto& [number, set] : model) count += set.size();
    CHECK(cache.size() == count);
  }
}

TEST_CASE("changed bytes: one run of a block, in the order in which blocks were changed") {
  BlockCache cache(4, 0, 1);
  const auto a = put(cache, {1, 0, 0}), b = put(cache, {2, 0, 0});
  cache.make_dirty(b, {10, 20});
  cache.make_dirty(a, {0, 5});
  cache.make_dirty(b, {20, 30});
  CHECK(cache.dirty_blocks() == 2);
  CHECK(cache.first_dirty() == b);
  CHECK(cache.next_dirty(b) == a);
  CHECK(cache.at(b).dirty.begin == 10);
  CHECK(cache.at(b).dirty.end == 30);
  CHECK(cache.at(b).valid.bytes() == 20);
  cache.make_clean(b);
  CHECK(cache.at(b).valid.bytes() == 20);
  CHECK(cache.first_dirty() == a);
  cache.make_dirty(b, {90, 95});  // what was valid is not next to it
  CHECK(cache.at(b).valid.begin == 90);
  cache.erase(a);
  CHECK(cache.dirty_blocks() == 1);
  CHECK(cache.first_dirty() == b);
}

TEST_CASE("changed bytes: since when the oldest have been changed") {
  using namespace kernel::literals;
  BlockCache cache(8, 0, 1);
  cache.set_age_step(10_ms);
  std::vector<BlockCache::Slot> slots;
  for (std::uint64_t i = 0; i < 8; ++i) slots.push_back(put(cache, {i, 0, 0}));
  for (std::int64_t i = 0; i < 4; ++i) cache.make_dirty(slots[static_cast<std::size_t>(i)], {0, 5}, 4_ms * i);
  CHECK(cache.dirty_since() == 0_ms);
  cache.make_dirty(slots[0], {0, 9}, 50_ms);  // it has been dirty before
  CHECK(cache.dirty_since() == 0_ms);
  cache.make_clean(slots[1]);
  CHECK(cache.dirty_since() == 0_ms);
  cache.make_clean(slots[0]);
  CHECK(cache.dirty_since() == 8_ms);  // of 0, 4 and 8 ms, one step
  cache.make_dirty(slots[0], {0, 5}, 60_ms);
  cache.make_clean(slots[2]);
  CHECK(cache.dirty_since() == 12_ms);
  cache.make_clean(slots[3]);
  CHECK(cache.dirty_since() == 60_ms);
  cache.erase(slots[0]);
  CHECK(cache.dirty_blocks() == 0);
  for (std::int64_t i = 0; i < 200'000; ++i) {  // more steps than a block's number of one can tell
    cache.make_dirty(slots[4], {0, 5}, 1_s * (i + 1));
    REQUIRE(cache.dirty_since() == 1_s * (i + 1));
    cache.make_clean(slots[4]);
  }
}

TEST_CASE("block map: what was inserted and not erased is there") {
  pfs::BlockMap<std::uint64_t> map;
  std::map<std::uint64_t, std::uint64_t> model;
  Random random(3);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const BlockKey key{random.below(300), static_cast<std::uint32_t>(random.below(2)), 0};
    const std::uint64_t name = key.index * 2 + key.file;
    const std::uint64_t* value = map.find(key);
    REQUIRE((value != nullptr) == model.contains(name));
    if (value != nullptr) {
      REQUIRE(*value == model[name]);
      map.erase(key);
      model.erase(name);
    } else {
      map.insert(key, i);
      model[name] = i;
    }
    REQUIRE(map.size() == model.size());
  }
}
