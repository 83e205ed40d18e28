#pragma once
// What few communicators have: made when first used, so that plain ones stay small.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "mpisim/attributes.hpp"

namespace mpisim::mpi {

struct CommunicatorExtras {
  std::string name;
  bool named = false;  ///< MPI_Comm_set_name was called (perhaps with "")
  AttributeSet attributes;
  /// How many communicators MPI_Comm_create_group has made, per (tag, hash of the group): it numbers them
  /// among the members of that group alone.
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> group_children;
};

}  // namespace mpisim::mpi
