#include "disk_models/cylinder_order.hpp"

namespace mpisim::disk {

namespace {

class Scan final : public QueueDiscipline {
 public:
  void add(const Waiting& request) override { waiting_.add(request); }
  std::uint64_t take(std::uint64_t head) override {
    const Waiting* next = ahead(head);
    if (next == nullptr) {
      upwards_ = !upwards_;
      next = ahead(head);
    }
    return waiting_.remove(*next);
  }

 private:
  const Waiting* ahead(std::uint64_t head) const {
    return upwards_ ? waiting_.at_or_above(head) : waiting_.at_or_below(head);
  }

  CylinderOrder waiting_;
  bool upwards_ = true;
};

}  // namespace

Discipline scan_discipline() {
  return {"scan", "the elevator: up to the last request, then down", [] { return std::make_unique<Scan>(); },
          Choice::cylinder};
}

}  // namespace mpisim::disk
