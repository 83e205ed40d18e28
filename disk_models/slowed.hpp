#pragma once
// A disk with a fault: any other disk, whose services take so many times as long.
//
//   time = time of the disk * factor of the operation
//
// What it did before, and with that where its head is, is that of the disk. Source: a disk of the Paragon of
// the report on SESAME read at less than half of the rate of its equals, and wrote as fast as they did
// (AFRL-IF-RS-TR-2000-120, table 7-5). Cost: that of the disk.
#include <cmath>
#include <utility>

#include "disk_models/disk_model.hpp"

namespace mpisim::disk {

class Slowed final : public DiskModel {
 public:
  /// Factors at least 1.
  Slowed(std::unique_ptr<DiskModel> disk, double reads, double writes)
      : disk_(std::move(disk)), reads_(reads), writes_(writes) {}

  Service serve(const Request& request, kernel::SimTime start) override {
    Service service = disk_->serve(request, start);
    const double factor = request.write ? writes_ : reads_;
    if (factor > 1)
      service.time =
          kernel::SimTime::picoseconds(std::llround(static_cast<double>(service.time.ps()) * factor));
    return service;
  }
  Space space() const override { return disk_->space(); }
  std::uint64_t cylinder_of(std::uint64_t address) const override { return disk_->cylinder_of(address); }
  std::uint64_t head() const override { return disk_->head(); }
  std::uint32_t depth() const override { return disk_->depth(); }

 private:
  std::unique_ptr<DiskModel> disk_;
  double reads_;
  double writes_;
};

inline Factory slowed_factory(Factory make, double reads, double writes) {
  return [make = std::move(make), reads, writes] { return std::make_unique<Slowed>(make(), reads, writes); };
}

}  // namespace mpisim::disk
