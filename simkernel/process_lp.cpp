#include "simkernel/process_lp.hpp"

#include <cassert>

#include "simkernel/engine.hpp"

namespace mpisim::kernel {

void ProcessLp::make_ready() {
  if (state_ != State::created && state_ != State::blocked) return;
  if (state_ == State::created) {
    engine().ready_.add_start(*this);
  } else {
    fiber_.prefetch();  // it will soon be its turn
    engine().ready_.push(*this);
  }
  state_ = State::ready;
}

void ProcessLp::block() {
  assert(state_ == State::running);
  state_ = State::blocked;
  horizon_changed();
  if (engine().goes_on_here(*this)) return;
  fiber_.suspend();
}

void ProcessLp::yield() {
  assert(state_ == State::running);
  state_ = State::ready;
  engine().ready_.push_last(*this);
  fiber_.suspend();
}

void ProcessLp::wait_outside() {
  assert(state_ == State::running);
  state_ = State::ready;
  engine().outside_.push_back(this);
  horizon_changed();
  fiber_.suspend();
}

void ProcessLp::terminate() {
  state_ = State::terminated;
  fiber_.suspend(true);  // the engine asks for its last horizon
  __builtin_unreachable();
}

void ProcessLp::entry(void* self) {
  auto* process = static_cast<ProcessLp*>(self);
  try {
    process->run();
  } catch (...) {
    process->engine().failure_ = std::current_exception();
  }
  process->terminate();  // outside of the handler, whose state belongs to the thread and not to the fiber
}

}  // namespace mpisim::kernel
