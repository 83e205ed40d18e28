#pragma once
// Requests that wait, by ascending cylinder.
#include <iterator>
#include <set>
#include <tuple>

#include "disk_models/queue_discipline.hpp"

namespace mpisim::disk {

class CylinderOrder {
 public:
  void add(const Waiting& request) { waiting_.insert(request); }

  /// Of the requests on the lowest cylinder that is not below `cylinder`, the first that came; null: none.
  const Waiting* at_or_above(std::uint64_t cylinder) const {
    const auto found = waiting_.lower_bound({cylinder, 0});
    return found == waiting_.end() ? nullptr : &*found;
  }

  /// Of the requests on the highest cylinder that is not above `cylinder`, the first that came; null: none.
  const Waiting* at_or_below(std::uint64_t cylinder) const {
    const auto above = waiting_.upper_bound({cylinder, ~std::uint64_t{0}});
    return above == waiting_.begin() ? nullptr : at_or_above(std::prev(above)->cylinder);
  }

  /// Returns the request's arrival.
  std::uint64_t remove(const Waiting& request) {
    const std::uint64_t arrival = request.arrival;
    waiting_.erase(Waiting(request));
    return arrival;
  }

 private:
  struct ByCylinder {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return std::tie(a.cylinder, a.arrival) < std::tie(b.cylinder, b.arrival);
    }
  };
  std::set<Waiting, ByCylinder> waiting_;
};

}  // namespace mpisim::disk
