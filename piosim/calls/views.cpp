// Views and individual file pointers (MPI-3.1 sections 13.3 and 13.4.3).
#include <cstring>

#include "piosim/arguments.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

/// The program's own handle of a predefined type, else a new one, which the program is to free.
MPI_Datatype handle_of(const Datatype& type) {
  return type.predefined() ? type.handle() : handles().add_alias(type);
}

}  // namespace

MPISIM_ENTRY(int, File_set_view,
             (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
              MPI_Info info)) {
  MPISIM_CALL(MPI_File_set_view, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(disp != MPI_DISPLACEMENT_CURRENT, file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "MPI_DISPLACEMENT_CURRENT needs shared file pointers, which are not supported yet");
  MPISIM_FILE_REQUIRE(disp >= 0, file, MPI_ERR_ARG, "disp is {}", disp);
  MPISIM_FILE_TYPE(element, etype, file);
  MPISIM_FILE_TYPE(pattern, filetype, file);
  MPISIM_FILE_POINTER(datarep, file);
  MPISIM_FILE_REQUIRE(std::strcmp(datarep, "native") == 0, file, MPI_ERR_UNSUPPORTED_DATAREP,
                      "the data representation \"{}\" is not supported, only \"native\"", datarep);
  MPISIM_FILE_REQUIRE(handles().info(info) || info == MPI_INFO_NULL, file, MPI_ERR_INFO, "{}",
                      bad_handle("info", HandleKind::info, info));
  const bool writable = (file->amode() & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
  const std::string fault = View::fault(*element, *pattern, writable);
  MPISIM_FILE_REQUIRE(fault.empty(), file, MPI_ERR_IO, "{}", fault);  // the class that ROMIO returns
  file->view =
      View(static_cast<std::uint64_t>(disp), TypePointer::share(*element), TypePointer::share(*pattern));
  file->position = 0;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_view,
             (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep)) {
  MPISIM_CALL(MPI_File_get_view, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(disp && etype && filetype && datarep, file, MPI_ERR_ARG,
                      "a result argument is a null pointer");
  *disp = static_cast<MPI_Offset>(file->view.displacement());
  *etype = handle_of(file->view.etype());
  *filetype = handle_of(file->view.filetype());
  std::memcpy(datarep, "native", sizeof "native");
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence)) {
  MPISIM_CALL(MPI_File_seek, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(!(file->amode() & MPI_MODE_SEQUENTIAL), file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file->name());
  MPI_Offset from = 0;
  if (whence == MPI_SEEK_CUR) {
    from = static_cast<MPI_Offset>(file->position);
  } else if (whence == MPI_SEEK_END) {
    Failure failure;
    const std::uint64_t size = file->host().size(failure);
    MPISIM_FILE_REQUIRE(failure.ok(), file, failure.error_class, "the size of file \"{}\" is unknown: {}",
                        file->name(), failure.text);
    const std::uint64_t etype = file->view.etype().size();
    from = static_cast<MPI_Offset>((file->view.stream_below(size) + etype - 1) / etype);
  } else {
    MPISIM_FILE_REQUIRE(whence == MPI_SEEK_SET, file, MPI_ERR_ARG,
                        "whence is {}, none of MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END", whence);
  }
  MPI_Offset to = 0;
  MPISIM_FILE_REQUIRE(!__builtin_add_overflow(from, offset, &to) && to >= 0, file, MPI_ERR_ARG,
                      "the file pointer would be at {} + {}", from, offset);
  file->position = static_cast<std::uint64_t>(to);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_position, (MPI_File fh, MPI_Offset* offset)) {
  MPISIM_CALL(MPI_File_get_position, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(offset, file);
  *offset = static_cast<MPI_Offset>(file->position);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp)) {
  MPISIM_CALL(MPI_File_get_byte_offset, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(disp, file);
  MPISIM_FILE_REQUIRE(offset >= 0, file, MPI_ERR_ARG, "offset is {}", offset);
  const std::uint64_t position = static_cast<std::uint64_t>(offset) * file->view.etype().size();
  *disp = static_cast<MPI_Offset>(file->view.file_offset(position));
  return MPI_SUCCESS;
}
