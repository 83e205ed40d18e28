#include "runtime/libc/diagnostics.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "runtime/rank_environment.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::runtime {
namespace {

std::string line(RankEnvironment& rank, const char* kind, const char* call, const char* text,
                 const void* address) {
  return fmt::format("mpisim: {}rank {}: {} at {}: {}\n", kind, rank.services().world_rank(), call,
                     describe(address), text);
}

}  // namespace

void refuse(const char* call, const char* reason, const void* return_address) {
  RankEnvironment& rank = *current_environment();
  rank.flush_output();
  rank.services().refuse(line(rank, "", call, reason, return_address));
  __builtin_unreachable();
}

void warn_once(const char* call, const char* text, const void* return_address) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (!warned.insert(call).second) return;
  RankEnvironment& rank = *current_environment();
  const std::string warning = line(rank, "warning: ", call, text, return_address);
  rank.services().write_output(2, warning.data(), warning.size());
}

}  // namespace mpisim::runtime
