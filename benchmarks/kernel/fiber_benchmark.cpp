// A process switch there and back, private data included, against the bare context switch of Boost.Context.
#include <benchmark/benchmark.h>

#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <vector>

#include "simkernel/fiber.hpp"

namespace {

using namespace mpisim::kernel;
namespace ctx = boost::context::detail;

constexpr std::size_t stack_size = std::size_t{1} << 20;

void forever(void* self) {
  for (;;) static_cast<Fiber*>(self)->suspend();
}

/// Range: the number of fibers that take turns.
void fiber_switch(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  StackArena arena(count, stack_size);
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (std::size_t i = 0; i < count; ++i) {
    fibers.push_back(std::make_unique<Fiber>());
    fibers.back()->prepare(arena.stack(i), forever, fibers.back().get());
    fibers.back()->set_segment_base((i + 1) << 20);  // as ranks with private data have
    fibers.back()->resume();
  }
  std::size_t next = 0;
  for (auto _ : state) {
    fibers[next]->resume();
    if (++next == count) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(fiber_switch)->Arg(1)->Arg(64)->Arg(1024)->Arg(65536);

void bounce(ctx::transfer_t from) {
  for (;;) from = ctx::jump_fcontext(from.fctx, nullptr);
}

void floor_fiber_switch(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  StackArena arena(count, stack_size);
  std::vector<ctx::fcontext_t> contexts;
  for (std::size_t i = 0; i < count; ++i) {
    const Stack stack = arena.stack(i);
    contexts.push_back(ctx::make_fcontext(stack.top, stack.usable(), bounce));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    contexts[next] = ctx::jump_fcontext(contexts[next], nullptr).fctx;
    if (++next == count) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(floor_fiber_switch)->Arg(1)->Arg(64)->Arg(1024)->Arg(65536);

/// What preparing a stack and the first switch cost when a run starts.
void fiber_start(benchmark::State& state) {
  constexpr std::size_t count = 4096;
  for (auto _ : state) {
    StackArena arena(count, stack_size);
    std::vector<Fiber> fibers(count);
    for (std::size_t i = 0; i < count; ++i) {
      fibers[i].prepare(arena.stack(i), forever, &fibers[i]);
      fibers[i].resume();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK(fiber_start)->Unit(benchmark::kMillisecond);

}  // namespace
