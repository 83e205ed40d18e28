#include "disk_models/cylinder_order.hpp"

namespace mpisim::disk {

namespace {

class CLook final : public QueueDiscipline {
 public:
  void add(const Waiting& request) override { waiting_.add(request); }
  std::uint64_t take(std::uint64_t head) override {
    const Waiting* next = waiting_.at_or_above(head);
    if (next == nullptr) next = waiting_.at_or_above(0);
    return waiting_.remove(*next);
  }

 private:
  CylinderOrder waiting_;
};

}  // namespace

Discipline c_look_discipline() {
  return {"c-look", "upwards only; after the last request the lowest one",
          [] { return std::make_unique<CLook>(); }, Choice::cylinder};
}

}  // namespace mpisim::disk
