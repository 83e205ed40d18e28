#include "runtime/libc/diagnostics.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "runtime/rank_environment.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::runtime {
namespace {

void say(RankEnvironment& rank, const char* kind, const char* call, const char* text, const void* address) {
  const std::string line = fmt::format("mpisim: {}rank {}: {} at {}: {}\n", kind,
                                       rank.services().world_rank(), call, describe(address), text);
  rank.services().write_output(2, line.data(), line.size());
}

}  // namespace

void refuse(const char* call, const char* reason, const void* return_address) {
  RankEnvironment& rank = *current_environment();
  rank.flush_output();
  say(rank, "", call, reason, return_address);
  rank.services().end_rank(2);
  __builtin_unreachable();
}

void warn_once(const char* call, const char* text, const void* return_address) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (warned.insert(call).second) say(*current_environment(), "warning: ", call, text, return_address);
}

}  // namespace mpisim::runtime
