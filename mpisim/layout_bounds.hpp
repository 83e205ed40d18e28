#pragma once
// Bounds of a derived datatype, collected over its blocks (MPI-3.1 sections 4.1.6 to 4.1.8).
#include <algorithm>
#include <cstdint>

#include "mpisim/datatype.hpp"

namespace mpisim::mpi {

class LayoutBounds {
 public:
  /// A block of `length` elements of `child` at displacement `at`; blocks come in packed order.
  void add(std::int64_t at, std::uint64_t length, const Datatype& child) {
    if (length == 0 || (child.size() == 0 && !child.explicit_lower_bound() && !child.explicit_upper_bound()))
      return;
    alignment = std::max(alignment, child.alignment());
    const std::int64_t reach = static_cast<std::int64_t>(length - 1) * child.extent();
    const std::int64_t low = at + std::min<std::int64_t>(0, reach);
    const std::int64_t high = at + std::max<std::int64_t>(0, reach);
    extend(explicit_lower, lower, low + child.lower_bound(), child.explicit_lower_bound(), empty_, true);
    extend(explicit_upper, upper, high + child.lower_bound() + child.extent(), child.explicit_upper_bound(),
           empty_, false);
    empty_ = false;
    if (child.size() == 0) return;
    follow_run(at, length, child);
    const std::int64_t true_low = low + child.true_lower_bound();
    const std::int64_t true_high = high + child.true_lower_bound() + child.true_extent();
    true_lower = dataless_ ? true_low : std::min(true_lower, true_low);
    true_upper = dataless_ ? true_high : std::max(true_upper, true_high);
    uniform_basic = dataless_ || uniform_basic == child.uniform_basic() ? child.uniform_basic() : 0;
    dataless_ = false;
    size += length * child.size();
    basic_elements += length * child.basic_elements();
  }

  /// `count` blocks, `stride` bytes apart, without visiting each.
  void add_strided(std::uint64_t count, std::uint64_t length, std::int64_t stride, const Datatype& child) {
    if (count == 0) return;
    add(0, length, child);
    if (count == 1) return;
    add(static_cast<std::int64_t>(count - 1) * stride, length, child);
    // Two blocks stood for all; in between no bound is exceeded, but runs break unless blocks touch.
    if (single_run || child.size() != 0)
      single_run = child.contiguous() && stride == static_cast<std::int64_t>(length * child.size());
    size = count * length * child.size();
    basic_elements = count * length * child.basic_elements();
  }

  std::int64_t lower = 0, upper = 0, true_lower = 0, true_upper = 0;
  std::uint64_t size = 0, basic_elements = 0;
  int uniform_basic = 0;
  std::uint32_t alignment = 1;
  bool explicit_lower = false, explicit_upper = false;
  bool single_run = true;

 private:
  /// Explicit bounds win over natural ones, once there are any.
  static void extend(bool& is_explicit, std::int64_t& bound, std::int64_t candidate, bool candidate_explicit,
                     bool first, bool lower_side) {
    if (first || (candidate_explicit && !is_explicit)) {
      bound = candidate;
      is_explicit = candidate_explicit;
    } else if (candidate_explicit == is_explicit) {
      bound = lower_side ? std::min(bound, candidate) : std::max(bound, candidate);
    }
  }

  void follow_run(std::int64_t at, std::uint64_t length, const Datatype& child) {
    const std::int64_t begin = at + child.true_lower_bound();
    const bool one_run = child.contiguous() || (length == 1 && child.single_run());
    single_run = single_run && one_run && (dataless_ || begin == run_end_);
    run_end_ = begin + static_cast<std::int64_t>(length * child.size());
  }

  bool empty_ = true;
  bool dataless_ = true;
  std::int64_t run_end_ = 0;
};

}  // namespace mpisim::mpi
