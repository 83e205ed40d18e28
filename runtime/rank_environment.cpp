#include "runtime/rank_environment.hpp"

#include <cerrno>
#include <utility>

#include "runtime/libc/libc_state.hpp"
#include "runtime/module_registry.hpp"

namespace mpisim::runtime {

namespace detail {
__thread RankEnvironment* current = nullptr;
}

namespace {

// What uselocale() was last told on this thread; null: the process's own locale.
__thread locale_t applied_locale __attribute__((tls_model("initial-exec"))) = nullptr;

void apply_locale(locale_t locale) {
  if (locale == applied_locale) [[likely]]
    return;
  uselocale(locale == nullptr ? LC_GLOBAL_LOCALE : locale);
  applied_locale = locale;
}

}  // namespace

void use_own_locale() {
  apply_locale(nullptr);
}

void RankEnvironment::use_locale(locale_t locale) {
  locale_ = locale;
  if (detail::current == this) apply_locale(locale);
}

void set_current_environment(RankEnvironment* environment) {
  RankEnvironment* const before = detail::current;
  if (before != nullptr) before->errno_ = errno;
  detail::current = environment;
  apply_locale(environment == nullptr ? nullptr : environment->locale_);
  if (environment != nullptr) errno = environment->errno_;
}

RankEnvironment::RankEnvironment(RankServices& services, std::uintptr_t segment_base)
    : services_(services), segment_base_(segment_base) {}

RankEnvironment::~RankEnvironment() {
  if (detail::current == this) detail::current = nullptr;
  if (locale_ != nullptr && applied_locale == locale_) apply_locale(nullptr);
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
    close_descriptors(*libc_);
  }
  use_locale(nullptr);
  services_.end_rank(status & 0xff);  // what a process's parent would see
  __builtin_unreachable();
}

void RankEnvironment::flush_output() {
  charges_files_ = false;
  if (libc_) flush_standard_streams(*libc_);
  charges_files_ = true;
}

}  // namespace mpisim::runtime
