#pragma once
// The analytic disk: a formula without a head's position, a queue or a cache.
//
//   time = overhead + (latency unless the request begins where the last one ended) + bytes / bandwidth
//
// latency stands for a mean seek and half a rotation. Reads and writes cost the same. Valid for every
// request; the mean over many requests at random places is right if its parameters are, one request is not,
// and neither are short seeks, which this model takes for mean ones. Cost: O(1). The form is that of the
// linear disk model of Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3),
// 1994, whose measured mean values of an HP 97560 are the default parameters.
#include <limits>

#include "disk_models/disk_model.hpp"

namespace mpisim::disk {

struct AnalyticParameters {
  /// Of the controller, per request: HP 97560 with SCSI-II, about 1 ms (ibid.: 1.1 ms for reads).
  kernel::SimTime overhead = kernel::SimTime::picoseconds(1'100'000'000);
  /// Mean seek and half a rotation: 13.5 ms and 7.5 ms at 4002 rpm (ibid.).
  kernel::SimTime latency = kernel::SimTime::picoseconds(21'000'000'000);
  /// Time per byte while data streams from or to the medium: 2.3 MB/s (ibid.: host-visible sustained rate of
  /// 72 sectors of 512 bytes per rotation of 15 ms, less track switches). 1e15 fs / 2.3e6 rounded.
  kernel::ByteTime transfer = kernel::ByteTime::femtoseconds(434'782'609);
};

class Analytic final : public DiskModel {
 public:
  explicit Analytic(const AnalyticParameters& parameters) : parameters_(parameters) {}
  Service serve(const Request& request, kernel::SimTime start) override;
  Space space() const override { return {}; }
  const AnalyticParameters& parameters() const { return parameters_; }

 private:
  AnalyticParameters parameters_;
  std::uint64_t next_ = std::numeric_limits<std::uint64_t>::max();  ///< where the last request ended
};

}  // namespace mpisim::disk
