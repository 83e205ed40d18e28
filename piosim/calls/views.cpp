// Views and individual file pointers (MPI-3.1 sections 13.3 and 13.4.3).
#include <cstring>

#include "mpisim/fortran_kinds.hpp"
#include "piosim/agreement.hpp"
#include "piosim/arguments.hpp"
#include "piosim/seek.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

/// Where the shared file pointer stands in the file, the same for all ranks.
std::uint64_t shared_displacement(File& file) {
  enter(CollectiveCall::set_view);
  std::uint64_t position[1] = {};
  barrier(file.comm());  // what the ranks have done before moves the pointer
  if (file.comm().rank() == 0) position[0] = advance_shared_pointer(file, 0);
  broadcast(file.comm(), position);
  return file.view.file_offset(position[0] * file.view.etype_size());
}

}  // namespace

MPISIM_ENTRY(int, File_set_view,
             (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
              MPI_Info info)) {
  MPISIM_CALL(MPI_File_set_view, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_COMPLETE(file);
  const bool current = disp == MPI_DISPLACEMENT_CURRENT;
  MPISIM_FILE_REQUIRE(current == file->sequential(), file, MPI_ERR_ARG,
                      "{} MPI_DISPLACEMENT_CURRENT goes with MPI_MODE_SEQUENTIAL only",
                      current ? "disp is" : "disp must be");
  MPISIM_FILE_REQUIRE(current || disp >= 0, file, MPI_ERR_ARG, "disp is {}", disp);
  MPISIM_FILE_TYPE(element, etype, file);
  MPISIM_FILE_TYPE(pattern, filetype, file);
  MPISIM_FILE_POINTER(datarep, file);
  const RepresentationPointer representation = rank_io().representations.find(datarep);
  MPISIM_FILE_REQUIRE(representation, file, MPI_ERR_UNSUPPORTED_DATAREP,
                      "there is no data representation \"{}\": native, internal, external32, or one that "
                      "MPI_Register_datarep has made",
                      datarep);
  MPISIM_FILE_REQUIRE(handles().info(info) || info == MPI_INFO_NULL, file, MPI_ERR_INFO, "{}",
                      bad_handle("info", HandleKind::info, info));
  const bool writable = (file->amode() & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
  const std::string fault = View::fault(*element, *pattern, writable);
  MPISIM_FILE_REQUIRE(fault.empty(), file, MPI_ERR_IO, "{}", fault);  // the class that ROMIO returns
  file->view = View(current ? shared_displacement(*file) : static_cast<std::uint64_t>(disp), *element,
                    *pattern, representation);
  file->position = 0;
  ++file->shared.generation;
  file->shared.initial = 0;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_view,
             (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep)) {
  MPISIM_CALL(MPI_File_get_view, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(disp && etype && filetype && datarep, file, MPI_ERR_ARG,
                      "a result argument is a null pointer");
  *disp = static_cast<MPI_Offset>(file->view.displacement());
  *etype = handle_for_program(file->view.etype());
  *filetype = handle_for_program(file->view.filetype());
  const std::string& name = file->view.representation().name();
  std::memcpy(datarep, name.c_str(), name.size() + 1);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence)) {
  MPISIM_CALL(MPI_File_seek, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(!(file->amode() & MPI_MODE_SEQUENTIAL), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  const SeekTarget target = seek_target(*file, file->position, offset, whence);
  MPISIM_FILE_REQUIRE(target.failure.ok(), file, target.failure.error_class, "{}", target.failure.text);
  file->position = target.position;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_position, (MPI_File fh, MPI_Offset* offset)) {
  MPISIM_CALL(MPI_File_get_position, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(offset, file);
  MPISIM_FILE_REQUIRE(!file->sequential(), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  *offset = static_cast<MPI_Offset>(file->position);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp)) {
  MPISIM_CALL(MPI_File_get_byte_offset, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(disp, file);
  MPISIM_FILE_REQUIRE(!file->sequential(), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  MPISIM_FILE_REQUIRE(offset >= 0, file, MPI_ERR_ARG, "offset is {}", offset);
  const std::uint64_t position = static_cast<std::uint64_t>(offset) * file->view.etype_size();
  *disp = static_cast<MPI_Offset>(file->view.file_offset(position));
  return MPI_SUCCESS;
}
