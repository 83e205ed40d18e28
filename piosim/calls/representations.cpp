// Data representations (MPI-3.1 section 13.5).
#include <cstring>

#include "piosim/arguments.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

MPISIM_ENTRY(int, Register_datarep,
             (const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
              MPI_Datarep_conversion_function* write_conversion_fn,
              MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state)) {
  MPISIM_CALL(MPI_Register_datarep, local);
  MPISIM_FILE_REQUIRE(datarep && *datarep && std::strlen(datarep) < MPI_MAX_DATAREP_STRING, nullptr,
                      MPI_ERR_ARG, "datarep is no name of 1 to {} characters", MPI_MAX_DATAREP_STRING - 1);
  MPISIM_FILE_POINTER(dtype_file_extent_fn, nullptr);
  const Conversion conversion{read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state};
  MPISIM_FILE_REQUIRE(rank_io().representations.add(datarep, conversion), nullptr, MPI_ERR_DUP_DATAREP,
                      "there is a data representation \"{}\" already", datarep);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent)) {
  MPISIM_CALL(MPI_File_get_type_extent, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_TYPE(type, datatype, file);
  MPISIM_FILE_POINTER(extent, file);
  *extent = file->view.representation().layout(*type)->extent();
  return MPI_SUCCESS;
}
