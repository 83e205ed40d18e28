// Handles of C and of Fortran are the same integers (MPI-3.1 section 17.2.4). Costs no time: these are macros
// in other libraries.
#include <cstring>

#include "mpisim/entry.hpp"

#define MPISIM_CONVERSIONS(object, type)                \
  MPISIM_ENTRY(MPI_Fint, object##_c2f, (type handle)) { \
    return handle;                                      \
  }                                                     \
  MPISIM_ENTRY(type, object##_f2c, (MPI_Fint handle)) { \
    return handle;                                      \
  }

MPISIM_CONVERSIONS(Comm, MPI_Comm)
MPISIM_CONVERSIONS(Type, MPI_Datatype)
MPISIM_CONVERSIONS(Group, MPI_Group)
MPISIM_CONVERSIONS(Request, MPI_Request)
MPISIM_CONVERSIONS(File, MPI_File)
MPISIM_CONVERSIONS(Win, MPI_Win)
MPISIM_CONVERSIONS(Op, MPI_Op)
MPISIM_CONVERSIONS(Info, MPI_Info)
MPISIM_CONVERSIONS(Errhandler, MPI_Errhandler)
MPISIM_CONVERSIONS(Message, MPI_Message)

MPISIM_ENTRY(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status)) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status)) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}
