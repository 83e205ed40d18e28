#include "machine/calibration.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

namespace mpisim::machine {

namespace fs = std::filesystem;

namespace {

constexpr double operations_per_iteration =
    std::accumulate(calibration_mix.begin(), calibration_mix.end(), 0.0);

/// Of the kernel's mix and of this file's format; another one makes a cached score worthless.
constexpr int format_version = 2;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(int sweeps) {
  const double begin = thread_seconds();
  double result = calibration_kernel(sweeps);
  asm volatile("" : "+m"(result));  // the result counts as used, so that the call stays
  return thread_seconds() - begin;
}

std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && (line.starts_with("model name") || line.starts_with("CPU part")))
      return line.substr(std::min(colon + 2, line.size()));
  }
  return "unknown processor";
}

nlohmann::json read_cache(const fs::path& file) {
  std::ifstream stream(file);
  nlohmann::json cache = nlohmann::json::parse(stream, nullptr, false);
  const bool good = cache.is_object() && cache.value("format", 0) == format_version &&
                    cache.contains("processors") && cache["processors"].is_object();
  if (good) return cache;
  return {{"format", format_version}, {"processors", nlohmann::json::object()}};
}

/// Written beside its place and renamed, so that simulators that start at once never read half a file.
void write_cache(const fs::path& file, const nlohmann::json& cache) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  fs::path beside = file;
  beside += "." + std::to_string(getpid());
  std::ofstream stream(beside);
  stream << cache.dump(2) << "\n";
  stream.close();
  if (stream) fs::rename(beside, file, ignored);
  fs::remove(beside, ignored);
}

}  // namespace

double derived_score(const mpi::CostTable& costs) {
  double picoseconds = 0;
  for (std::size_t i = 0; i < std::min(calibration_mix.size(), costs.picoseconds.size()); ++i)
    picoseconds += calibration_mix[i] * costs.picoseconds[i];
  if (!(picoseconds > 0)) return std::numeric_limits<double>::infinity();
  return operations_per_iteration * 1e12 / picoseconds;
}

double measure_host(double seconds) {
  constexpr int repetitions = 10;
  // First find how many sweeps fill a repetition; that warms the processor up as well.
  int sweeps = 64;
  double spent = seconds_of(sweeps);
  while (spent < seconds / (2 * repetitions) && sweeps < (1 << 28)) {
    sweeps *= 2;
    spent = seconds_of(sweeps);
  }
  double best = spent;
  for (int i = 1; i < repetitions; ++i) best = std::min(best, seconds_of(sweeps));
  return operations_per_iteration * calibration_iterations * sweeps / best;
}

fs::path default_calibration_file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "mpisim/calibration.json";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fs::path(home) / ".cache/mpisim/calibration.json";
}

std::optional<Calibration> known_calibration(const fs::path& file) {
  const nlohmann::json cache = read_cache(file.empty() ? default_calibration_file() : file);
  Calibration result;
  result.processor = processor_name();
  const auto entry = cache["processors"].find(result.processor);
  if (entry == cache["processors"].end() || !entry->is_number() || entry->get<double>() <= 0)
    return std::nullopt;
  result.operations_per_second = entry->get<double>();
  result.from_cache = true;
  return result;
}

Calibration calibrate_host(bool measure_again, const fs::path& file) {
  const fs::path place = file.empty() ? default_calibration_file() : file;
  if (!measure_again)
    if (const auto known = known_calibration(place)) return *known;
  Calibration result;
  result.processor = processor_name();
  result.operations_per_second = measure_host();
  nlohmann::json cache = read_cache(place);
  cache["processors"][result.processor] = result.operations_per_second;
  if (!place.empty()) write_cache(place, cache);
  return result;
}

}  // namespace mpisim::machine
