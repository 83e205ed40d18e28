#pragma once
// The types of Fortran's parameterized kinds (MPI-3.1 section 17.1.9) are predefined without a name: a
// program neither commits nor frees them, and asks for their arguments by MPI_Type_get_contents.
#include "mpisim/handles.hpp"
#include "mpisim/type_description.hpp"

namespace mpisim::mpi {

inline bool is_fortran_kind(const Datatype& type) {
  const TypeDescription* made = type.description_if_any();
  return made != nullptr &&
         (made->combiner == MPI_COMBINER_F90_REAL || made->combiner == MPI_COMBINER_F90_COMPLEX ||
          made->combiner == MPI_COMBINER_F90_INTEGER);
}

/// Reductions treat them as the predefined type that they stand for.
inline const Datatype& element_of_kind(const Datatype& type) {
  return is_fortran_kind(type) ? *predefined_datatype(type.uniform_basic()) : type;
}

/// What MPI_Type_get_contents and MPI_File_get_view give the program for a type: its own handle if it is
/// predefined, else a new one, which the program is to free (section 4.1.13).
inline MPI_Datatype handle_for_program(const Datatype& type) {
  return type.predefined() || is_fortran_kind(type) ? type.handle() : handles().add_alias(type);
}

}  // namespace mpisim::mpi
