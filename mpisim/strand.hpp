#pragma once
// Strands: what a rank's MPI library goes through by itself while the program goes on (nonblocking
// collective operations of several messages).
//
// A strand is code that may call whatever the program's own calls are made of (core.hpp, collectives/): it
// has a stack, a clock and a network adapter of its own, and blocks without blocking the program. It begins
// inside the call that starts it, and goes on when what it waits for is complete in simulated time: at once
// with Progress::asynchronous, else at the first instant at which the program is inside a call
// (progress.cpp). Its costs are charged to its own clock, not to the program's: the library's processor and
// adapter are taken to be free for it, whatever the program does.
//
// Strands run on their rank's fiber, nested, wherever the rank blocks: nothing about them depends on how far
// the program had got when a message came. What they send has keys of their own for that reason.
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <unordered_map>

#include "mpisim/core.hpp"
#include "network_models/network_model.hpp"
#include "simkernel/event.hpp"
#include "simkernel/fiber.hpp"

namespace mpisim::mpi {

class Strand {
 public:
  using Body = std::function<void()>;
  /// `whole`: the program's request, complete when `body` has returned.
  Strand(std::uint32_t number, Request& whole, Body body, std::unique_ptr<kernel::StackArena> stack,
         std::uintptr_t segment_base);
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  /// Numbers the strands of a rank in the order in which its program starts them, from 1 on.
  std::uint32_t number() const { return number_; }
  Request& whole() const { return whole_; }
  bool ended() const { return ended_; }
  /// Runs it until it waits or ends; throws what its body throws.
  void resume();
  /// On the strand: back to resume().
  void suspend() { fiber_.suspend(); }
  /// Key of the next event that it sends.
  kernel::EventKey next_key(kernel::SimTime time, kernel::LpId rank);
  std::unique_ptr<kernel::StackArena> take_stack() { return std::move(stack_); }

  /// What the rank has instead of its own while the strand runs.
  struct Context {
    kernel::SimTime clock;
    network::Adapter adapter;
    const char* collective_name = "";
    std::uint16_t collective_operation = 0;
    std::int32_t collective_root = 0;
  };
  Context context;
  std::uint32_t pending = 0;        ///< requests that it waits for
  bool asks = false;                ///< it waits for an answer (Rank::ask)
  kernel::Event* answer = nullptr;  ///< what came
  kernel::SimTime ready;            ///< when what it waits for is complete
  kernel::SimTime goes_on;          ///< not before

 private:
  static void run(void* self);

  std::uint32_t number_;
  Request& whole_;
  Body body_;
  std::unique_ptr<kernel::StackArena> stack_;
  kernel::Fiber fiber_;
  std::uint64_t sequence_ = 0;
  std::exception_ptr failure_;
  bool ended_ = false;
};

/// Those of one rank.
struct Strands {
  Strand* running = nullptr;
  std::deque<Strand*> due;  ///< may go on
  std::unordered_map<std::uint32_t, std::unique_ptr<Strand>> live;
  std::uint32_t started = 0;
};

}  // namespace mpisim::mpi
