#pragma once
// Checks of debug builds (without NDEBUG) that no event is sent or arrives earlier than was promised. Release
// builds contain nothing of them.
//
// Two promises are held against every event to another LP: the sender's own (the action of its last horizon,
// or the time of an event that it has received since, plus the lookahead) and that of the whole simulation
// (the last safe time plus the lookahead), on which other LPs may have acted already.
#include <stdexcept>

namespace mpisim::kernel {

#ifdef NDEBUG
inline constexpr bool causality_checked = false;
#else
inline constexpr bool causality_checked = true;
#endif

/// An LP broke its promise: a fault of a model, never of the target program. The message names LPs and times.
class CausalityError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace mpisim::kernel
