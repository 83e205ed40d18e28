#include "mpisim/op.hpp"

#include <array>
#include <memory>

#include "mpisim/handle_table.hpp"

namespace mpisim::mpi {

Op::Op(MPI_Op predefined) : handle_(predefined) {
  commutative_ = predefined != MPI_REPLACE && predefined != MPI_NO_OP;
}

Op::Op(MPI_User_function* user_function, bool commutes) : function_(user_function), commutative_(commutes) {}

const Op* predefined_op(MPI_Op handle) {
  constexpr unsigned count = handle_bits::index_of(MPI_NO_OP);
  static const auto& ops = *[] {
    auto* made = new std::array<std::unique_ptr<const Op>, count>;
    for (unsigned i = 0; i < count; ++i)
      (*made)[i] = std::make_unique<const Op>(handle_bits::predefined(HandleKind::operation, i + 1));
    return made;
  }();
  const unsigned index = handle_bits::predefined_index(HandleKind::operation, handle);
  return index && index <= count ? ops[index - 1].get() : nullptr;
}

}  // namespace mpisim::mpi
