#pragma once
// When events arrive at each LP, recorded in one run and used in another (protocol `ideal`): an LP for which
// all events of the recording before an instant are here has nothing to wait for.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "simkernel/event.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::kernel {

/// The recording does not fit the simulation.
class WrongOrder : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Told of every event that reaches an LP of this host process.
class ArrivalObserver {
 public:
  virtual void arrived(const Event& event) = 0;

 protected:
  ~ArrivalObserver() = default;
};

/// Receive times per LP, sorted. LPs of host processes themselves (ids from `lps` on) are left out.
class ArrivalOrder {
 public:
  ArrivalOrder() = default;
  explicit ArrivalOrder(std::size_t lps) : times_(lps) {}
  std::size_t lps() const { return times_.size(); }
  const std::vector<SimTime>& times(LpId lp) const { return times_[lp]; }
  void add(LpId lp, SimTime time) { times_[lp].push_back(time); }
  void sort();

  /// Of one host process, for the one that saves; and back.
  std::vector<std::byte> pack() const;
  void merge(const std::vector<std::byte>& packed);

  /// Throws std::runtime_error that names the file.
  void save(const std::string& file) const;
  static ArrivalOrder load(const std::string& file);

 private:
  std::vector<std::vector<SimTime>> times_;
};

/// Records what arrives.
class ArrivalRecorder final : public ArrivalObserver {
 public:
  explicit ArrivalRecorder(std::size_t lps) : order_(lps) {}
  void arrived(const Event& event) override {
    if (event.destination < order_.lps() && event.key.source != event.destination)
      order_.add(event.destination, event.key.time);
  }
  ArrivalOrder& order() { return order_; }

 private:
  ArrivalOrder order_;
};

}  // namespace mpisim::kernel
