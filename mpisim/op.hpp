#pragma once
// Reduction operations, predefined and of the program.
#include <cstdint>
#include <string>

#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

class Datatype;

/// Reference counted by hand, like Datatype; predefined ones are immortal.
class Op {
 public:
  explicit Op(MPI_Op predefined);
  Op(MPI_User_function* user_function, bool commutes);

  bool commutative() const { return commutative_; }
  bool predefined() const { return handle_ != 0; }
  /// Handle of a predefined operation (MPI_SUM ...), 0 for one of the program.
  MPI_Op predefined_handle() const { return handle_; }
  MPI_User_function* function() const { return function_; }

  void retain() const { ++references_; }
  void release() const {
    if (--references_ == 0 && !predefined()) delete this;
  }

 private:
  MPI_User_function* function_ = nullptr;
  MPI_Op handle_ = 0;
  bool commutative_ = true;
  mutable std::uint32_t references_ = 1;
};

/// May `op` be applied to `type`? Empty if so, else what is wrong ("MPI_BAND is not defined for MPI_DOUBLE").
/// Predefined operations take predefined types of the classes of MPI-3.1 section 5.9.2.
std::string check_op(const Op& op, const Datatype& type);

/// inout[i] = in[i] op inout[i] for `count` elements of `type`; `in` comes from lower ranks than `inout`.
/// Costs no simulated time. The pair must have passed check_op. User functions are called with type's handle.
void apply(const Op& op, const void* in, void* inout, std::uint64_t count, const Datatype& type);

/// The predefined operation with this handle; null if it is none.
const Op* predefined_op(MPI_Op handle);

}  // namespace mpisim::mpi
