// Last come, first served: a stack. What waits at the bottom may wait for ever under load; the mean wait is
// that of first come, first served wherever the choice does not depend on the service time (Kingman 1962).
#include <vector>

#include "disk_models/queue_discipline.hpp"

namespace mpisim::disk {

namespace {

class Lcfs final : public QueueDiscipline {
 public:
  void add(const Waiting& request) override { stack_.push_back(request.arrival); }
  std::uint64_t take(std::uint64_t /*head*/) override {
    const std::uint64_t next = stack_.back();
    stack_.pop_back();
    return next;
  }

 private:
  std::vector<std::uint64_t> stack_;
};

}  // namespace

Discipline lcfs_discipline() {
  return {"lcfs", "last come, first served", [] { return std::make_unique<Lcfs>(); }};
}

}  // namespace mpisim::disk
