#pragma once
// How a program made a datatype (for MPI_Type_get_envelope and _contents), its name and attributes.
#include <string>
#include <vector>

#include "mpisim/attributes.hpp"
#include "mpisim/datatype.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

struct TypeDescription {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<TypePointer> types;
  std::string name;
  AttributeSet attributes;
};

}  // namespace mpisim::mpi
