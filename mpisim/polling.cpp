// What polls in vain and readings of the clock cost, and rows of them.
//
// A rank that waits by polling would take any number of polls; one that polls a number of times and goes on
// must not pay for more than those. Which it is tells the compiler (preprocessor/pass/waiting_loops.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "mpisim/rank.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

/// Share of its row that a poll takes where the rank waits.
constexpr std::int64_t share_of_wait = 10;
/// And where that is not known: a hundred thousand polls take a twentieth longer than without.
constexpr std::int64_t share_of_row = std::int64_t{1} << 20;
/// A fruitless poll takes that long at least.
constexpr SimTime least_poll = SimTime::picoseconds(1'000);
/// A rank whose clock gets here by polling alone is in a livelock.
constexpr SimTime latest_poll = SimTime::picoseconds(std::int64_t{1} << 62);
/// Reads of the clock in a row from which on the rank waits for a time, and each takes a thousandth of the
/// row.
constexpr std::uint32_t waiting_clock_reads = 10'000;
constexpr std::int64_t share_of_clock_row = 1000;

}  // namespace

std::size_t PollRow::first_since(SimTime since) const {
  if (begin >= since) return 0;
  const auto first =
      std::find_if(windows.begin(), windows.end(), [since](const Window& w) { return w.end >= since; });
  return first == windows.end() ? windows.size() : static_cast<std::size_t>(first - windows.begin()) + 1;
}

SimTime Rank::cost_of_poll(SimTime row) const {
  const SimTime interval = world_.options().config.poll_interval;
  if (waits_by_polling_) return kernel::max(interval, SimTime::picoseconds(row.ps() / share_of_wait));
  if (!computed_) return interval;  // nothing else passes time
  return kernel::min(interval, kernel::max(least_poll, SimTime::picoseconds(row.ps() / share_of_row)));
}

void Rank::fruitless_poll() {
  polled_ = true;
  if (!in_poll_row_) {
    in_poll_row_ = true;
    poll_row_start_ = clock_;
  }
  clock_ += cost_of_poll(clock_ - poll_row_start_);
  computed_ = false;
  count_poll();
  if (clock_ > latest_poll)
    end_world(End::livelock, livelock_status,
              LivelockWatch::report(world_rank(), call_name_, runtime::describe(call_site_)));
}

void Rank::count_poll() {
  if (poll_row_.weight == 0) poll_row_.begin = call_start_;
  const LivelockWatch& watch = world_.livelock();
  const std::uint64_t before = poll_row_.weight / watch.window();
  poll_row_.weight += waits_by_polling_ ? watch.weight_of_wait() : 1;
  waits_by_polling_ = false;
  if (poll_row_.weight / watch.window() == before) return;
  poll_row_.windows.push_back({clock_, call_name_, call_site_});
  world_.livelock().suspect();
  while (engine().stopped()) block_here(Waiting::ending);
}

void Rank::end_poll_row() {
  in_poll_row_ = false;
  waits_by_polling_ = false;
  if (poll_row_.weight > 0) poll_row_ = PollRow{};
}

void Rank::clock_read() {
  if (clock_reads_ == 0) clock_row_start_ = clock_;
  if (clock_reads_ < waiting_clock_reads)
    ++clock_reads_;
  else
    clock_ += SimTime::picoseconds((clock_ - clock_row_start_).ps() / share_of_clock_row);
}

}  // namespace mpisim::mpi

extern "C" __attribute__((visibility("default"))) void mpisim_waits_by_polling() {
  if (mpisim::mpi::detail::running_rank != nullptr) mpisim::mpi::current_rank().expect_wait();
}
