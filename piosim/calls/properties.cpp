// Sizes and properties of files, consistency, hints (MPI-3.1 sections 13.2.4 to 13.2.8, 13.5.1, 13.6.1).
#include "mpisim/info.hpp"
#include "piosim/access.hpp"
#include "piosim/agreement.hpp"
#include "piosim/arguments.hpp"
#include "piosim/hints.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

/// Why this rank must not change the size of the file to `size` (MPI-3.1 sections 13.2.4 and 13.2.5).
Failure check_change(const File& file, MPI_Offset size) {
  if (!file.writable())
    return {MPI_ERR_READ_ONLY, fmt::format("file \"{}\" was opened with MPI_MODE_RDONLY", file.name())};
  if (file.sequential())
    return {MPI_ERR_UNSUPPORTED_OPERATION,
            fmt::format("file \"{}\" was opened with MPI_MODE_SEQUENTIAL", file.name())};
  if (size < 0) return {MPI_ERR_ARG, fmt::format("size is {}", size)};
  if (file.unfinished > 0) return {MPI_ERR_IO, unfinished(file)};
  return {};
}

/// Rank 0 acts for all between two meetings of all ranks: what they did before comes before, what they do
/// next comes after. Nothing is done unless all ranks may.
template <class Act>
int change_size(File& file, CollectiveCall call, MPI_Offset size, Act&& act) {
  const Failure own = check_change(file, size);
  enter(call);
  const auto bytes = static_cast<std::uint64_t>(size);
  // A rank that may not has no size to agree on, but the class of its error.
  constexpr std::uint64_t failed = std::uint64_t{1} << 63;
  const std::uint64_t wanted = own.ok() ? bytes : failed | static_cast<std::uint64_t>(own.error_class);
  std::uint64_t sizes[2] = {wanted, ~wanted};
  maximum(file.comm(), sizes);
  if (!own.ok()) return raise_error(&file, own.error_class, own.text);
  if ((sizes[0] & failed) != 0) return raise_silently(&file, static_cast<int>(sizes[0] & ~failed));
  MPISIM_FILE_REQUIRE(sizes[0] == ~sizes[1], &file, MPI_ERR_NOT_SAME, "size differs between ranks");
  rank_io().metadata().inquire(file.on_storage.number);
  Failure failure;
  if (file.comm().rank() == 0) failure = act(file.host(), bytes);
  std::uint64_t error_class[1] = {static_cast<std::uint64_t>(failure.error_class)};
  broadcast(file.comm(), error_class);
  if (error_class[0] == MPI_SUCCESS) return MPI_SUCCESS;
  if (failure.ok()) return raise_silently(&file, static_cast<int>(error_class[0]));
  return raise_error(&file, failure.error_class,
                     fmt::format("file \"{}\" cannot have {} bytes: {}", file.name(), bytes, failure.text));
}

}  // namespace

MPISIM_ENTRY(int, File_set_size, (MPI_File fh, MPI_Offset size)) {
  MPISIM_CALL(MPI_File_set_size, input_output);
  MPISIM_FILE(file, fh);
  return change_size(*file, CollectiveCall::set_size, size,
                     [](HostFile& host, std::uint64_t bytes) { return host.resize(bytes); });
}

MPISIM_ENTRY(int, File_preallocate, (MPI_File fh, MPI_Offset size)) {
  MPISIM_CALL(MPI_File_preallocate, input_output);
  MPISIM_FILE(file, fh);
  return change_size(*file, CollectiveCall::preallocate, size,
                     [](HostFile& host, std::uint64_t bytes) { return host.preallocate(bytes); });
}

MPISIM_ENTRY(int, File_get_size, (MPI_File fh, MPI_Offset* size)) {
  MPISIM_CALL(MPI_File_get_size, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(size, file);
  rank_io().metadata().inquire(file->on_storage.number);
  Failure failure;
  *size = static_cast<MPI_Offset>(file->host().size(failure));
  MPISIM_FILE_REQUIRE(failure.ok(), file, failure.error_class, "the size of file \"{}\" is unknown: {}",
                      file->name(), failure.text);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_group, (MPI_File fh, MPI_Group* group)) {
  MPISIM_CALL(MPI_File_get_group, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(group, file);
  *group = handles().add_group(file->comm().shared().local);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_amode, (MPI_File fh, int* amode)) {
  MPISIM_CALL(MPI_File_get_amode, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(amode, file);
  *amode = file->amode();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_set_info, (MPI_File fh, MPI_Info info)) {
  MPISIM_CALL(MPI_File_set_info, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(handles().info(info), file, MPI_ERR_INFO, "{}",
                      bad_handle("info", HandleKind::info, info));
  return MPI_SUCCESS;  // no hint takes effect once the file is open
}

MPISIM_ENTRY(int, File_get_info, (MPI_File fh, MPI_Info* info_used)) {
  MPISIM_CALL(MPI_File_get_info, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(info_used, file);
  auto info = std::make_unique<Info>();
  tell_hints(*info, file->hints, file->asked, static_cast<std::uint64_t>(file->comm().size()));
  tell_shape(*info, rank_io().storage->shape(file->on_storage.number), world_io().config);
  *info_used = handles().add_info(std::move(info));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_set_atomicity, (MPI_File fh, int flag)) {
  MPISIM_CALL(MPI_File_set_atomicity, input_output);
  MPISIM_FILE(file, fh);
  enter(CollectiveCall::set_atomicity);
  const std::uint64_t on = flag != 0 ? 1 : 0;
  std::uint64_t agreed[2] = {on, ~on};
  maximum(file->comm(), agreed);
  MPISIM_FILE_REQUIRE(agreed[0] == ~agreed[1], file, MPI_ERR_NOT_SAME, "flag differs between ranks");
  file->atomic = flag != 0;  // of accesses that begin from here on
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_atomicity, (MPI_File fh, int* flag)) {
  MPISIM_CALL(MPI_File_get_atomicity, local);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_POINTER(flag, file);
  *flag = file->atomic;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_sync, (MPI_File fh)) {
  MPISIM_CALL(MPI_File_sync, input_output);
  MPISIM_FILE(file, fh);
  MPISIM_FILE_COMPLETE(file);
  // The data is visible to all ranks already; what is left to do is the disks', if caches write back.
  sync(file->on_storage);
  return MPI_SUCCESS;
}
