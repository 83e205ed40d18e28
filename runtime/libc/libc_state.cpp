#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

LibcState::~LibcState() {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) part->reset();
}

}  // namespace mpisim::runtime
