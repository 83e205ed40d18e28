#include <deque>

#include "disk_models/queue_discipline.hpp"

namespace mpisim::disk {

namespace {

class Fcfs final : public QueueDiscipline {
 public:
  void add(const Waiting& request) override { queue_.push_back(request.arrival); }
  std::uint64_t take(std::uint64_t /*head*/) override {
    const std::uint64_t next = queue_.front();
    queue_.pop_front();
    return next;
  }

 private:
  std::deque<std::uint64_t> queue_;
};

}  // namespace

Discipline fcfs_discipline() {
  return {"fcfs", "first come, first served", [] { return std::make_unique<Fcfs>(); }, Choice::none};
}

}  // namespace mpisim::disk
