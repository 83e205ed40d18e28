#include "app/crash.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

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

// A text in fixed memory: the heap may be what the target has destroyed, and what formats it here needs none.
struct Text {
  std::array<char, 1 << 15> data;
  std::size_t size = 0;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::size_t room = data.size() - size;
    const auto result =
        fmt::format_to_n(data.data() + size, room, format, std::forward<Arguments>(arguments)...);
    size += std::min(result.size, room);
  }
};

void add_size(Text& text, std::uint64_t bytes) {
  if (bytes % (1U << 20) == 0)
    text.add("{}MiB", bytes >> 20);
  else
    text.add("{}KiB", (bytes + 1023) >> 10);
}

void add_what_happened(Text& text, const runtime::Crash& crash, const RunPlan& plan) {
  if (crash.stack_overflow) {
    text.add("its stack of ");
    add_size(text, plan.stack_size);
    text.add(" overflowed; --stack-size ");
    add_size(text, plan.stack_size * 4);
    text.add(" gives every rank a larger one");
    return;
  }
  const char* const name = sigdescr_np(crash.signal);
  text.add("signal {} ({})", crash.signal, name == nullptr ? "unknown" : name);
  if (crash.signal == SIGSEGV || crash.signal == SIGBUS) text.add(" at address {}", crash.address);
  if (*crash.heap_fault == '\0') return;
  const std::string_view words = crash.heap_fault;
  text.add("; its heap is corrupt: {}", words.substr(0, words.find('\n')));
  if (!current_rank_runs()) text.add(" (noticed after it had run, so it may have been another rank's doing)");
}

void describe_crash(Text& text, const runtime::Crash& crash, const RunPlan& plan) {
  const mpi::Rank& rank = mpi::current_rank();
  text.add("mpisim: rank {} crashed at {}: ", rank.world_rank(), kernel::to_string(rank.now()));
  add_what_happened(text, crash, plan);
  text.add("\n");
  std::string_view rest = crash.backtrace;
  for (std::size_t end = 0; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
    text.add("  {}\n", rest.substr(0, end));
}

struct Explainer {
  mpi::World& world;
  const RunPlan& plan;
  CrashActions actions;

  void operator()(const runtime::Crash& crash) {
    static Text text;
    describe_crash(text, crash, plan);
    runtime::attempt([](void* self) { static_cast<Explainer*>(self)->flush(); }, this);
    write_all(STDERR_FILENO, text.data.data(), text.size);
    runtime::attempt([](void* self) { static_cast<Explainer*>(self)->end(); }, this);
    actions.end_damaged();
  }
  void flush() const {
    runtime::current_environment()->flush_output();
    world.flush_all_output();
    actions.flush_output();
  }
  void end() const { actions.end(mpi::current_rank().now()); }
};

}  // namespace

void explain_crashes(mpi::World& world, const RunPlan& plan, CrashActions actions) {
  const kernel::Engine& engine = world.engine();
  runtime::set_own_identity(engine.host(), engine.hosts(), plan.protocol.c_str());
  runtime::install_crash_handlers(in_guard_of_current_rank, Explainer{world, plan, std::move(actions)},
                                  current_rank_runs);
}

}  // namespace mpisim::app
