#pragma once
// Several kernels inside one process, one thread each, of which only one runs at a time: who goes on and
// which packet comes first is drawn from a seed, so that a fault of the protocol can be replayed. For tests.
#include <cstdint>
#include <functional>
#include <memory>

#include "simkernel/transport.hpp"

namespace mpisim::kernel {

/// Calls body(transport) on `hosts` threads, with delivery as adversarial as order per pair allows; returns
/// when all have returned. When a body throws, the other hosts' next calls of the transport throw too, and
/// the first exception is thrown again here after all have ended.
void run_in_process(int hosts, std::uint64_t seed, const std::function<void(Transport&)>& body);

}  // namespace mpisim::kernel
