#include "disk_models/cylinder_order.hpp"

namespace mpisim::disk {

namespace {

class Sstf final : public QueueDiscipline {
 public:
  void add(const Waiting& request) override { waiting_.add(request); }
  std::uint64_t take(std::uint64_t head) override {
    const Waiting* above = waiting_.at_or_above(head);
    const Waiting* below = waiting_.at_or_below(head);
    if (above == nullptr || below == nullptr) return waiting_.remove(above == nullptr ? *below : *above);
    const std::uint64_t up = above->cylinder - head;
    const std::uint64_t down = head - below->cylinder;
    const bool upwards = up < down || (up == down && above->arrival <= below->arrival);
    return waiting_.remove(upwards ? *above : *below);
  }

 private:
  CylinderOrder waiting_;
};

}  // namespace

Discipline sstf_discipline() {
  return {"sstf", "the nearest cylinder first", [] { return std::make_unique<Sstf>(); }, Choice::cylinder};
}

}  // namespace mpisim::disk
