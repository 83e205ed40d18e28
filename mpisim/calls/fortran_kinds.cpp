// Types for the kinds that Fortran's SELECTED_REAL_KIND and SELECTED_INT_KIND choose (MPI-3.1
// section 17.1.9).
#include "mpisim/fortran_kinds.hpp"
#include <array>

#include "mpisim/arguments.hpp"
#include "mpisim/rank_state.hpp"
#include "mpisim/type_description.hpp"
#include "mpisim/type_layouts.hpp"

using namespace mpisim::mpi;

namespace {

/// 0, 1, 2 for single, double and extended precision; -1 if none suffices. Either may be MPI_UNDEFINED, which
/// asks for nothing.
int real_kind(int precision, int range) {
  if (precision <= 6 && range <= 37) return 0;
  if (precision <= 15 && range <= 307) return 1;
  return precision <= 18 && range <= 4931 ? 2 : -1;
}

/// The rank's one handle of the type with this combiner and these arguments.
MPI_Datatype kind_type(MPI_Datatype like, int combiner, std::vector<int> arguments) {
  MPI_Datatype& handle = handles().state().fortran_kinds[{combiner, arguments}];
  if (handle != 0) return handle;
  TypePointer type = make_dup(*predefined_datatype(like));
  type->commit();
  type->description().combiner = combiner;
  type->description().integers = std::move(arguments);
  handle = handles().add_datatype(type.detach());
  return handle;
}

/// `likes`: of single, double and extended precision.
int floating_type(const std::array<MPI_Datatype, 3>& likes, int combiner, int precision, int range,
                  MPI_Datatype* newtype) {
  const int kind = real_kind(precision, range);
  MPISIM_REQUIRE(kind >= 0, nullptr, MPI_ERR_ARG, "no floating-point type has {} decimal digits and range {}",
                 precision, range);
  *newtype = kind_type(likes[static_cast<std::size_t>(kind)], combiner, {precision, range});
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Type_create_f90_integer, (int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_integer, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  MPISIM_REQUIRE(range >= 0 && range <= 18, nullptr, MPI_ERR_ARG, "no integer type has {} decimal digits",
                 range);
  const MPI_Datatype like = range <= 2   ? MPI_INTEGER1
                            : range <= 4 ? MPI_INTEGER2
                            : range <= 9 ? MPI_INTEGER4
                                         : MPI_INTEGER8;
  *newtype = kind_type(like, MPI_COMBINER_F90_INTEGER, {range});
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_create_f90_real, (int precision, int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_real, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return floating_type({MPI_REAL4, MPI_REAL8, MPI_REAL16}, MPI_COMBINER_F90_REAL, precision, range, newtype);
}

MPISIM_ENTRY(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_complex, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return floating_type({MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}, MPI_COMBINER_F90_COMPLEX, precision,
                       range, newtype);
}
