#pragma once
// What messages of a collective carry of the call that they belong to, so that calls that do not fit to each
// other are found: which collective, its root, and, where they are known, the operation and the kind of data.
#include <cstdint>
#include <string>

#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

class Datatype;

/// Bits 0 to 7 the collective, 8 to 11 the kind of its data, 12 to 15 its predefined operation; 0: not known.
using CollectiveStamp = std::uint16_t;

/// Tells what a collective is called.
void name_collective(CollectiveStamp stamp, const char* name);
const char* collective_name(CollectiveStamp stamp);
bool has_root(CollectiveStamp stamp);
/// With its operation and root, where it has them.
std::string described_collective(CollectiveStamp stamp, int root);

/// `op`: MPI_OP_NULL without one.
CollectiveStamp with_details(CollectiveStamp stamp, MPI_Op op, const Datatype& type);

enum class Agreement : std::uint8_t { same, other_data, other_call };
Agreement compare(CollectiveStamp a, CollectiveStamp b);
/// "4-byte integers"; empty if not known.
const char* kind_of_data(CollectiveStamp stamp);

}  // namespace mpisim::mpi
