#include "app/crash.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "app/descriptors.hpp"
#include "mpisim/rank.hpp"
#include "runtime/own_fault.hpp"

namespace mpisim::app {

namespace {

bool in_guard_of_current_rank(const void* address) {
  const kernel::Stack& stack = mpi::current_rank().stack();
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= stack.guard && byte < stack.guard + stack.guard_size;
}

bool current_rank_runs() {
  return mpi::current_rank().state() == kernel::ProcessLp::State::running;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes % (1U << 20) == 0) return fmt::format("{}MiB", bytes >> 20);
  return fmt::format("{}KiB", (bytes + 1023) >> 10);
}

std::string what_happened(const runtime::Crash& crash, const RunPlan& plan) {
  if (crash.stack_overflow)
    return fmt::format("its stack of {} overflowed; --stack-size {} gives every rank a larger one",
                       size_text(plan.stack_size), size_text(plan.stack_size * 4));
  std::string text = fmt::format("signal {} ({})", crash.signal, strsignal(crash.signal));
  if (crash.signal == SIGSEGV || crash.signal == SIGBUS)
    text += fmt::format(" at address {}", fmt::ptr(crash.address));
  return text;
}

}  // namespace

std::string describe_crash(const runtime::Crash& crash, const RunPlan& plan) {
  const mpi::Rank& rank = mpi::current_rank();
  std::string text = fmt::format("mpisim: rank {} crashed at {}: {}\n", rank.world_rank(),
                                 kernel::to_string(rank.now()), what_happened(crash, plan));
  std::istringstream lines(crash.backtrace);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

void explain_crashes(mpi::World& world, const RunPlan& plan, std::function<void()> flush_output,
                     std::function<void(kernel::SimTime)> end) {
  const kernel::Engine& engine = world.engine();
  runtime::set_own_identity(engine.host(), engine.hosts(), plan.protocol.c_str());
  runtime::install_crash_handlers(
      in_guard_of_current_rank,
      [&world, &plan, flush_output = std::move(flush_output),
       end = std::move(end)](const runtime::Crash& crash) {
        const std::string text = describe_crash(crash, plan);
        const kernel::SimTime time = mpi::current_rank().now();
        runtime::current_environment()->flush_output();
        world.flush_all_output();
        flush_output();
        write_all(STDERR_FILENO, text.data(), text.size());
        end(time);
      },
      current_rank_runs);
}

}  // namespace mpisim::app
