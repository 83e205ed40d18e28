#include "runtime/rank_environment.hpp"

#include <cerrno>
#include <utility>

#include "runtime/libc/libc_state.hpp"
#include "runtime/module_registry.hpp"

namespace mpisim::runtime {

namespace detail {
__thread RankEnvironment* current = nullptr;
}

void set_current_environment(RankEnvironment* environment) {
  RankEnvironment* const before = detail::current;
  if (before != nullptr) before->errno_ = errno;
  detail::current = environment;
  if (environment != nullptr) errno = environment->errno_;
}

RankEnvironment::RankEnvironment(RankServices& services, std::uintptr_t segment_base)
    : services_(services), segment_base_(segment_base) {}

RankEnvironment::~RankEnvironment() {
  if (detail::current == this) detail::current = nullptr;
}

std::uint64_t RankEnvironment::take_counted() {
  std::uint64_t* const slot = counted_slot(segment_base_);
  return slot == nullptr ? 0 : std::exchange(*slot, 0);
}

LibcState& RankEnvironment::libc() {
  if (!libc_) libc_ = std::make_unique<LibcState>(*this);
  return *libc_;
}

void RankEnvironment::exit(int status) {
  if (libc_) {
    run_exit_handlers(*libc_, status);
    close_streams(*libc_);
  }
  services_.end_rank(status & 0xff);  // what a process's parent would see
  __builtin_unreachable();
}

void RankEnvironment::flush_output() {
  charges_files_ = false;
  if (libc_) flush_standard_streams(*libc_);
  charges_files_ = true;
}

}  // namespace mpisim::runtime
