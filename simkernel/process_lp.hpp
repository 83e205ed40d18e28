#pragma once
// Process LPs: a fiber that runs code directly and blocks.
#include <cstddef>
#include <cstdint>

#include "simkernel/fiber.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::kernel {

class ProcessLp : public LogicalProcess {
 public:
  enum class State : std::uint8_t { created, ready, running, blocked, terminated };

  using LogicalProcess::LogicalProcess;
  ~ProcessLp() override = default;

  SimTime now() const final { return clock_; }
  State state() const { return state_; }

  /// Gives the process its stack and makes it start in run() at its first resume; before Engine::run.
  void prepare(const Stack& stack) { fiber_.prepare(stack, &ProcessLp::entry, this); }
  const Stack& stack() const { return fiber_.stack(); }

  /// Brings what its start touches into the caches: the first part of the object.
  void prefetch_start() const { prefetch_lines(this, prefetched_bytes); }

  /// Lets a created or blocked process continue when the engine comes to it (see ReadyQueue); no effect when
  /// it is ready already.
  void make_ready();

 protected:
  /// The process's life, on its own stack. An exception that leaves it ends the run (see Engine::run). It
  /// must not block inside of a catch clause: the C++ runtime keeps caught exceptions per thread.
  virtual void run() = 0;
  /// On the process's own stack: gives up the processor until make_ready().
  void block();
  /// On the process's own stack: lets all others that are ready go first. No simulated time passes.
  void yield();
  /// The same where the process waits for something outside of the simulation, which may need decisions of
  /// the protocol: those are made, and other hosts are heard, before it goes on to look again.
  void wait_outside();
  /// On the process's own stack: ends it, never returns. The stack is not unwound.
  [[noreturn]] void terminate();

  SimTime clock_;
  Fiber fiber_;

 private:
  friend class Engine;
  static constexpr std::size_t prefetched_bytes = 1216;  ///< of an MPI rank all, of others too much
  static void entry(void* self);
  State state_ = State::created;
};

}  // namespace mpisim::kernel
