#include "mpisim/op.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <memory>

#include "mpisim/fortran_kinds.hpp"
#include "mpisim/handle_table.hpp"
#include "mpisim/op_loops.hpp"
#include "mpisim/type_description.hpp"

namespace mpisim::mpi {
namespace {

constexpr std::array<const char*, 15> names{
    "MPI_OP_NULL", "MPI_MAX",  "MPI_MIN",  "MPI_SUM",    "MPI_PROD",   "MPI_LAND",    "MPI_BAND", "MPI_LOR",
    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};

std::string name_of(const Datatype& type) {
  if (type.predefined()) return std::string(predefined_type(handle_bits::index_of(type.handle())).name);
  if (type.description_if_any() && !type.description_if_any()->name.empty())
    return "the derived datatype " + type.description_if_any()->name;
  return "a derived datatype";
}

}  // namespace

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

std::string check_op(const Op& op, const Datatype& type) {
  if (!op.predefined()) return {};
  const std::string name = names[handle_bits::index_of(op.predefined_handle())];
  if (op.predefined_handle() == MPI_REPLACE || op.predefined_handle() == MPI_NO_OP)
    return name + " is for one-sided accumulation only";
  const Datatype& element = element_of_kind(type);
  if (element.predefined() &&
      op_loop(op.predefined_handle(), predefined_type(handle_bits::index_of(element.handle()))))
    return {};
  return name + " is not defined for " + name_of(type);
}

void apply(const Op& op, const void* in, void* inout, std::uint64_t count, const Datatype& type) {
  if (!op.predefined()) {
    const char* source = static_cast<const char*>(in);
    char* target = static_cast<char*>(inout);
    while (count) {
      int part = static_cast<int>(std::min<std::uint64_t>(count, INT_MAX));
      count -= static_cast<std::uint64_t>(part);
      const std::int64_t bytes = part * type.extent();
      MPI_Datatype handle = type.handle();
      // The function's first argument is not const for historical reasons only.
      op.function()(const_cast<char*>(source), target, &part, &handle);
      source += bytes;
      target += bytes;
    }
    return;
  }
  if (op.predefined_handle() == MPI_NO_OP) return;
  if (op.predefined_handle() == MPI_REPLACE) {
    std::memcpy(inout, in, count * static_cast<std::uint64_t>(type.extent()));
    return;
  }
  const MPI_Datatype element = element_of_kind(type).handle();
  op_loop(op.predefined_handle(), predefined_type(handle_bits::index_of(element)))(in, inout, count);
}

}  // namespace mpisim::mpi
