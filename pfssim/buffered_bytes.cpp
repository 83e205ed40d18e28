#include "pfssim/buffered_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mpisim::pfs {

std::uint64_t BufferedBytes::dirty(std::uint32_t number) const {
  const auto file = files_.find(number);
  return file == files_.end() ? 0 : file->second.dirty;
}

std::uint64_t BufferedBytes::missing(std::uint32_t number, const Range& range) const {
  std::uint64_t bytes = 0;
  for_each_part(number, range, [&bytes](const Range& part, bool here) { bytes += here ? 0 : part.bytes; });
  return bytes;
}

/// No run goes across `at` afterwards.
void BufferedBytes::split(Runs& runs, std::uint64_t at) {
  auto run = runs.upper_bound(at);
  if (run == runs.begin()) return;
  --run;
  if (run->first == at || run->second.end <= at) return;
  runs.emplace(at, run->second);
  run->second.end = at;
}

void BufferedBytes::write(std::uint32_t number, const Range& range, kernel::SimTime at) {
  if (range.bytes == 0) return;
  File& file = files_[number];
  if (file.dirty == 0) dirty_files_.push_back(number);
  file.first = file.dirty == 0 ? range.offset : std::min(file.first, range.offset);
  const std::uint64_t end = range.offset + range.bytes;
  split(file.runs, range.offset);
  split(file.runs, end);
  std::uint64_t begin = range.offset;  // of what becomes dirty
  auto run = file.runs.lower_bound(begin);
  while (run != file.runs.end() && run->first < end) {
    if (run->second.state != State::dirty) {
      used_ -= run->second.end - run->first;
      run = file.runs.erase(run);
      continue;
    }
    run = add_dirty(number, run, {begin, run->first - begin}, at);
    begin = run->second.end;
    ++run;
  }
  add_dirty(number, run, {begin, end - begin}, at);
}

/// Bytes before a run that are in none. The run, which may be longer now.
BufferedBytes::Runs::iterator BufferedBytes::add_dirty(std::uint32_t number, Runs::iterator before,
                                                       const Range& range, kernel::SimTime at) {
  if (range.bytes == 0) return before;
  File& file = files_[number];
  used_ += range.bytes;
  file.dirty += range.bytes;
  dirty_ += range.bytes;
  dirty_since_[{at, number}] += range.bytes;
  const auto same = [at](const Run& run) { return run.state == State::dirty && run.since == at; };
  if (before != file.runs.begin()) {
    const auto last = std::prev(before);
    if (last->second.end == range.offset && same(last->second)) {
      last->second.end += range.bytes;
      return before;
    }
  }
  file.runs.emplace_hint(before, range.offset, Run{range.offset + range.bytes, State::dirty, 0, at});
  return before;
}

void BufferedBytes::forget_age(const Oldest& age, std::uint64_t bytes) {
  const auto entry = dirty_since_.find(age);
  entry->second -= bytes;
  if (entry->second == 0) dirty_since_.erase(entry);
}

/// Whether older bytes of the range are on their way.
bool BufferedBytes::under_way(std::uint32_t number, std::uint64_t begin, std::uint64_t end) const {
  return std::any_of(leaving_.begin(), leaving_.end(), [&](const Leaving& leaving) {
    if (leaving.file != number) return false;
    const auto range =
        std::lower_bound(leaving.ranges.begin(), leaving.ranges.end(), begin,
                         [](const Range& each, std::uint64_t at) { return each.offset + each.bytes <= at; });
    return range != leaving.ranges.end() && range->offset < end;
  });
}

BufferedBytes::Leaving BufferedBytes::take(std::uint64_t most, const std::uint32_t* only) {
  if (only != nullptr) return take_of(*only, most);
  for (const std::uint32_t number : dirty_files_)
    if (Leaving leaving = take_of(number, most); leaving.bytes > 0) return leaving;
  return {};
}

BufferedBytes::Leaving BufferedBytes::take_of(std::uint32_t number, std::uint64_t most) {
  Leaving leaving;
  if (dirty(number) == 0) return leaving;
  leaving.file = number;
  leaving.number = next_++;
  File& file = files_[number];
  bool all = true;
  for (auto run = file.runs.lower_bound(file.first); run != file.runs.end() && leaving.bytes < most; ++run) {
    if (run->second.state != State::dirty) continue;
    if (under_way(number, run->first, run->second.end)) {
      all = false;
      continue;
    }
    const std::uint64_t bytes = std::min(most - leaving.bytes, run->second.end - run->first);
    split(file.runs, run->first + bytes);
    forget_age({run->second.since, number}, bytes);
    run->second.state = State::leaving;
    run->second.number = leaving.number;
    std::vector<Range>& ranges = leaving.ranges;
    if (!ranges.empty() && ranges.back().offset + ranges.back().bytes == run->first)
      ranges.back().bytes += bytes;
    else
      ranges.push_back({run->first, bytes});
    leaving.bytes += bytes;
    if (all) file.first = run->second.end;
  }
  file.dirty -= leaving.bytes;
  dirty_ -= leaving.bytes;
  if (leaving.bytes > 0) leaving_.push_back(leaving);
  if (file.dirty == 0) std::erase(dirty_files_, number);
  return leaving;
}

void BufferedBytes::arrived(const Leaving& leaving) {
  Runs& runs = files_[leaving.file].runs;
  for (const Range& range : leaving.ranges) {
    auto before = runs.end();  // what is clean already and ends where `run` begins
    for (auto run = runs.lower_bound(range.offset);
         run != runs.end() && run->first < range.offset + range.bytes;) {
      if (run->second.state != State::leaving || run->second.number != leaving.number) {
        before = runs.end();
        ++run;
        continue;
      }
      run->second.state = State::clean;
      if (before != runs.end() && before->second.end == run->first) {
        before->second.end = run->second.end;
        run = runs.erase(run);
      } else {
        before = run++;
      }
    }
  }
  std::erase_if(leaving_, [&leaving](const Leaving& other) { return other.number == leaving.number; });
  clean_.push_back(leaving);
}

/// At most `most` of its bytes that are still clean; returns how many.
std::uint64_t BufferedBytes::forget(const Leaving& leaving, std::uint64_t most) {
  std::uint64_t bytes = 0;
  Runs& runs = files_[leaving.file].runs;
  for (const Range& range : leaving.ranges) {
    for (auto run = runs.lower_bound(range.offset);
         run != runs.end() && run->first < range.offset + range.bytes && bytes < most;) {
      if (run->second.state != State::clean || run->second.number != leaving.number) {
        ++run;
        continue;
      }
      const std::uint64_t gone = std::min(most - bytes, run->second.end - run->first);
      split(runs, run->first + gone);
      bytes += gone;
      run = runs.erase(run);
    }
  }
  used_ -= bytes;
  return bytes;
}

void BufferedBytes::make_room(std::uint64_t bytes) {
  while (bytes > 0 && !clean_.empty()) {
    const std::uint64_t gone = forget(clean_.front(), bytes);
    bytes -= std::min(bytes, gone);
    if (bytes > 0) clean_.pop_front();
  }
}

void BufferedBytes::forget_clean(std::uint32_t number) {
  for (const Leaving& leaving : clean_)
    if (leaving.file == number) forget(leaving, ~std::uint64_t{0});
  std::erase_if(clean_, [number](const Leaving& leaving) { return leaving.file == number; });
}

}  // namespace mpisim::pfs
