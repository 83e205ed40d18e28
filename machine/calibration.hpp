#pragma once
// How fast the host is, in the same measure as a machine file's processor.score.
//
// The measure is the calibration kernel: a sweep over arrays that fit a first-level cache, compiled at -O2
// without vector instructions, with the mix of operations of `calibration_mix` in each iteration. A score is
// the number of these operations per second of processor time. With `--compute measured`, host time is
// multiplied by host score / target score. For a target that nobody can run the kernel on, the score is
// derived from the cost table: operations of an iteration / their price. Valid range: codes whose mix and
// cache behaviour are like the kernel's; others are better served by `counted`.
#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "mpisim/config.hpp"
#include "runtime/target_abi.h"

namespace mpisim::machine {

/// Operations of one iteration of the kernel, by mpisim_cost_class.
constexpr std::array<double, MPISIM_COST_CLASSES> calibration_mix = [] {
  std::array<double, MPISIM_COST_CLASSES> mix{};
  mix[MPISIM_COST_INT] = 4;
  mix[MPISIM_COST_INT_MUL] = 1;
  mix[MPISIM_COST_FP_ADD] = 2;
  mix[MPISIM_COST_FP_MUL] = 2;
  mix[MPISIM_COST_MEMORY] = 5;
  mix[MPISIM_COST_BRANCH] = 1;
  return mix;
}();

/// Operations per second of a processor with these prices; infinite if the kernel would cost nothing.
double derived_score(const mpi::CostTable& costs);

struct Calibration {
  double operations_per_second = 0;
  std::string processor;  ///< model name that the kernel of the operating system gives
  bool from_cache = false;
};

/// Runs the kernel for about `seconds` and returns operations per second: the best of several repetitions,
/// since disturbances only make it slower.
double measure_host(double seconds = 0.2);

/// The host's score: from the cache file if this processor model is in it, else measured and put there. A
/// cache that cannot be read or written is no error. Without `file`: default_calibration_file().
Calibration calibrate_host(bool measure_again = false, const std::filesystem::path& file = {});

/// The host's score from the cache file; nothing if it was not measured yet.
std::optional<Calibration> known_calibration(const std::filesystem::path& file = {});

/// ${XDG_CACHE_HOME:-~/.cache}/mpisim/calibration.json; empty if there is no home.
std::filesystem::path default_calibration_file();

/// The kernel itself: `sweeps` times over its arrays; returns a value that depends on all results. Iterations
/// per sweep: calibration_iterations.
constexpr int calibration_iterations = 1022;
double calibration_kernel(int sweeps);

}  // namespace mpisim::machine
