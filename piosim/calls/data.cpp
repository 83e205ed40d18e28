// Blocking data accesses (MPI-3.1 sections 13.4.2 and 13.4.3).
#include <limits>
#include <memory>

#include "mpisim/statuses.hpp"
#include "piosim/access.hpp"
#include "piosim/arguments.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

enum class Kind : bool { read, write };
enum class Ranks : bool { alone, together };

/// What the program's call says. The buffer of a read is written to.
struct Call {
  Kind kind;
  Ranks ranks;
  MPI_Offset offset;  ///< individual_pointer, or in etypes
  void* buffer;
  int count;
  MPI_Datatype datatype;
  MPI_Status* status;
};
constexpr MPI_Offset individual_pointer = std::numeric_limits<MPI_Offset>::min();

int check(File& file, const Call& call) {
  const bool write = call.kind == Kind::write;
  MPISIM_FILE_REQUIRE(!write || file.writable(), &file, MPI_ERR_READ_ONLY,
                      "file \"{}\" was opened with MPI_MODE_RDONLY", file.name());
  MPISIM_FILE_REQUIRE(write || file.readable(), &file, MPI_ERR_ACCESS,
                      "file \"{}\" was opened with MPI_MODE_WRONLY", file.name());
  MPISIM_FILE_REQUIRE(!(file.amode() & MPI_MODE_SEQUENTIAL), &file, MPI_ERR_UNSUPPORTED_OPERATION,
                      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file.name());
  MPISIM_FILE_REQUIRE(call.offset >= 0 || call.offset == individual_pointer, &file, MPI_ERR_ARG,
                      "offset is {}", call.offset);
  MPISIM_FILE_REQUIRE(call.count >= 0, &file, MPI_ERR_COUNT, "count is {}", call.count);
  return MPI_SUCCESS;
}

/// What was moved, in the status and in the file pointer; errors.
int finish(File& file, const Call& call, const Outcome& outcome, std::uint64_t wanted) {
  if (call.offset == individual_pointer) file.position += outcome.bytes / file.view.etype().size();
  core::Status status;
  status.bytes = outcome.bytes;
  set_status(call.status, status);
  const Failure& failure = outcome.failure;
  if (failure.ok()) return MPI_SUCCESS;
  if (failure.text.empty()) return raise_silently(&file, failure.error_class);
  return raise_error(
      &file, failure.error_class,
      fmt::format("{} of {} bytes {} file \"{}\": {}", outcome.bytes, wanted,
                  call.kind == Kind::write ? "written to" : "read from", file.name(), failure.text));
}

int access(MPI_File fh, const Call& call) {
  MPISIM_FILE(file, fh);
  if (const int error = check(*file, call)) return error;
  MPISIM_FILE_TYPE(type, call.datatype, file);
  const std::uint64_t bytes = static_cast<std::uint64_t>(call.count) * type->size();
  MPISIM_FILE_REQUIRE(call.buffer || bytes == 0 || !type->predefined(), file, MPI_ERR_BUFFER,
                      "the buffer is a null pointer, with count {}", call.count);
  const std::uint64_t etype = file->view.etype().size();
  MPISIM_FILE_REQUIRE(bytes % etype == 0, file, MPI_ERR_TYPE,
                      "{} bytes of data are no multiple of the view's etype of {} bytes", bytes, etype);
  const std::uint64_t offset =
      call.offset == individual_pointer ? file->position : static_cast<std::uint64_t>(call.offset);

  // Data with gaps in memory goes through a buffer.
  const bool write = call.kind == Kind::write;
  std::unique_ptr<std::byte[]> packed;
  auto* data = static_cast<std::byte*>(call.buffer);
  if (!type->contiguous()) {
    packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    data = packed.get();
    if (write) {
      type->pack(call.buffer, static_cast<std::uint64_t>(call.count), 0, bytes, data);
      core::charge_copy(bytes);
    }
  }
  const Access request{*file, offset * etype, data, bytes, write};
  const Outcome outcome = call.ranks == Ranks::together ? access_together(request) : access_alone(request);
  if (packed && !write) {
    type->unpack(call.buffer, static_cast<std::uint64_t>(call.count), 0, outcome.bytes, data);
    core::charge_copy(outcome.bytes);
  }
  return finish(*file, call, outcome, bytes);
}

}  // namespace

MPISIM_ENTRY(int, File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read, input_output);
  return access(fh, {Kind::read, Ranks::alone, individual_pointer, buf, count, datatype, status});
}

MPISIM_ENTRY(int, File_read_all,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_all, input_output);
  return access(fh, {Kind::read, Ranks::together, individual_pointer, buf, count, datatype, status});
}

MPISIM_ENTRY(int, File_write,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write, input_output);
  return access(
      fh, {Kind::write, Ranks::alone, individual_pointer, const_cast<void*>(buf), count, datatype, status});
}

MPISIM_ENTRY(int, File_write_all,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_all, input_output);
  return access(fh, {Kind::write, Ranks::together, individual_pointer, const_cast<void*>(buf), count,
                     datatype, status});
}

// An explicit offset that stands for the individual pointer inside is negative, like any other wrong one.
namespace {
MPI_Offset explicit_offset(MPI_Offset offset) {
  return offset == individual_pointer ? -1 : offset;
}
}  // namespace

MPISIM_ENTRY(int, File_read_at,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_at, input_output);
  return access(fh, {Kind::read, Ranks::alone, explicit_offset(offset), buf, count, datatype, status});
}

MPISIM_ENTRY(int, File_read_at_all,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_at_all, input_output);
  return access(fh, {Kind::read, Ranks::together, explicit_offset(offset), buf, count, datatype, status});
}

MPISIM_ENTRY(int, File_write_at,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_at, input_output);
  return access(fh, {Kind::write, Ranks::alone, explicit_offset(offset), const_cast<void*>(buf), count,
                     datatype, status});
}

MPISIM_ENTRY(int, File_write_at_all,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_at_all, input_output);
  return access(fh, {Kind::write, Ranks::together, explicit_offset(offset), const_cast<void*>(buf), count,
                     datatype, status});
}
