#pragma once
// The choice of a disk model and its parameters, as plain values.
#include <memory>

#include "disk_models/analytic.hpp"
#include "disk_models/simple.hpp"

namespace mpisim::disk {

enum class Model : std::uint8_t { analytic, simple };

struct Parameters {
  Model model = Model::analytic;
  AnalyticParameters analytic;  ///< those of the chosen model count
  SimpleParameters simple;
};

std::unique_ptr<DiskModel> make_disk(const Parameters& parameters);

}  // namespace mpisim::disk
