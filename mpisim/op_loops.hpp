#pragma once
// Which predefined reduction operation is defined for which predefined type (MPI-3.1 sections 5.9.2, 5.9.4),
// and the loop that does it. As usual implementations do, MPI_CHAR counts as an integer.
#include <cstdint>

#include "mpisim/include/mpi.h"
#include "mpisim/predefined_types.hpp"

namespace mpisim::mpi {

/// inout[i] = in[i] op inout[i]; the buffers are aligned for the type and do not overlap.
using OpLoop = void (*)(const void* in, void* inout, std::uint64_t count);

/// Null if `op` is not defined for `type`.
OpLoop op_loop(MPI_Op op, const PredefinedType& type);

}  // namespace mpisim::mpi
