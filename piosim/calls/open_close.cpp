// Opening, closing and deleting files (MPI-3.1 sections 13.2.1 to 13.2.3).
#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <optional>

#include "mpisim/construction.hpp"
#include "mpisim/info.hpp"
#include "piosim/access.hpp"
#include "piosim/agreement.hpp"
#include "piosim/arguments.hpp"
#include "piosim/file_names.hpp"
#include "piosim/hints.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"
#include "runtime/rank_environment.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

constexpr int all_modes = MPI_MODE_CREATE | MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR |
                          MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | MPI_MODE_EXCL | MPI_MODE_APPEND |
                          MPI_MODE_SEQUENTIAL;

Failure check_mode(int amode) {
  const auto bad = [](const char* text) { return Failure{MPI_ERR_AMODE, text}; };
  if ((amode & ~all_modes) != 0) return bad("amode has bits that are no MPI_MODE_ constants");
  const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if (std::popcount(static_cast<unsigned>(access)) != 1)
    return bad("amode must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
    return bad("MPI_MODE_RDONLY cannot go with MPI_MODE_CREATE or MPI_MODE_EXCL");
  if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL) != 0)
    return bad("MPI_MODE_RDWR cannot go with MPI_MODE_SEQUENTIAL");
  return {};
}

/// For open(2); rank 0 alone creates the file.
int system_flags(int amode, bool creates) {
  int flags = O_RDWR;
  if (amode & MPI_MODE_RDONLY) flags = O_RDONLY;
  if (amode & MPI_MODE_WRONLY) flags = O_WRONLY;
  if (creates && (amode & MPI_MODE_CREATE)) flags |= O_CREAT | (amode & MPI_MODE_EXCL ? O_EXCL : 0);
  return flags;
}

void open_on_this_host(File& file, const mpisim::pfs::ShapeHints& asked, Failure& failure) {
  std::optional<NameLock> lock;
  if (file.comm().rank() == 0 && (file.amode() & MPI_MODE_CREATE) != 0)
    lock.emplace(file.path(), file.comm().size());
  file.on_storage.number = rank_io().metadata().open(file.path(), asked);
  file.on_storage.entry = rank_io().ledger->entry(file.path());
  const int flags = system_flags(file.amode(), file.comm().rank() == 0);
  file.set_host(world_io().files.open(file.comm(), file.path(), flags, failure));
}

/// Opens the file on all ranks or on none; all return the same class. Rank 0 goes first: it creates the file,
/// and its hints and its file's size count for all.
int open_together(File& file, const Hints& hints, const mpisim::pfs::ShapeHints& asked, Failure& own) {
  Communicator& comm = file.comm();
  enter(CollectiveCall::open);
  own = check_mode(file.amode());
  std::uint64_t from_root[4] = {};
  if (comm.rank() == 0) {
    if (own.ok()) open_on_this_host(file, asked, own);
    if (own.ok()) from_root[2] = file.host().size(own);
    from_root[0] = static_cast<std::uint64_t>(own.error_class);
    from_root[1] = std::uint64_t{rank_io().opens++} << Hints::packed_bits | hints.packed();
    from_root[3] = hints.packed_buffer();
  }
  broadcast(comm, from_root);
  if (comm.rank() != 0 && own.ok() && from_root[0] == MPI_SUCCESS) open_on_this_host(file, {}, own);
  constexpr unsigned half = 32;
  file.shared.file = static_cast<std::uint64_t>(comm.shared().local->world_rank(0)) << half |
                     from_root[1] >> Hints::packed_bits;
  file.hints = Hints::unpacked(from_root[1], from_root[3]);
  const auto mode = static_cast<std::uint64_t>(file.amode());
  std::uint64_t agreed[3] = {static_cast<std::uint64_t>(own.error_class), mode, ~mode};
  maximum(comm, agreed);
  if (agreed[1] != ~agreed[2]) {
    own = {MPI_ERR_NOT_SAME, comm.rank() == 0 ? "amode differs between ranks" : ""};
    return MPI_ERR_NOT_SAME;
  }
  if ((file.amode() & MPI_MODE_APPEND) != 0) file.position = file.shared.initial = from_root[2];
  return static_cast<int>(agreed[0]);
}

/// Rank 0 may have created the file before another rank's arguments turned out to be wrong.
void remove_what_was_created(const File& file) {
  if (file.comm().rank() != 0 || !file.has_host() || !file.host().created()) return;
  const NameLock lock(file.path(), file.comm().size());
  rank_io().metadata().remove(file.path());
  ::unlink(file.path().c_str());
}

/// Whether it is what a program that asks for a file wants to know: it is not there, or may not be used so;
/// it is there already. A file that was to be made if need be, and cannot, is a fault of the run.
bool is_answer(const Failure& failure, int amode) {
  switch (failure.error_class) {
    case MPI_ERR_NO_SUCH_FILE:
    case MPI_ERR_ACCESS:
    case MPI_ERR_READ_ONLY:
      return (amode & MPI_MODE_CREATE) == 0;
    case MPI_ERR_FILE_EXISTS:
      return true;
    default:
      return false;
  }
}

int open_file(Communicator& comm, const char* filename, int amode, const Info* info, MPI_File* fh) {
  RankIo& state = rank_io();
  auto file = std::make_unique<File>(*duplicate(comm), filename, path_of_name(filename), amode);
  file->set_error_handler(state.default_error_handler);
  if (info != nullptr) file->asked = *info;
  Failure own;
  const auto& machine = world_io().config;
  const int error = open_together(*file, Hints::of(info, machine), shape_hints(info, machine), own);
  if (error == MPI_SUCCESS) {
    *fh = state.files.add(file.get());
    file.release()->handle = *fh;
    return MPI_SUCCESS;
  }
  *fh = MPI_FILE_NULL;
  file->set_error_handler(MPI_ERRORS_RETURN);
  remove_what_was_created(*file);
  if (own.text.empty()) return raise_silently(nullptr, error);
  const std::string message = fmt::format("cannot open file \"{}\": {}", filename, own.text);
  return is_answer(own, amode) ? raise_answer(error, message) : raise_error(nullptr, error, message);
}

}  // namespace

MPISIM_ENTRY(int, File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh)) {
  MPISIM_CALL(MPI_File_open, input_output);
  Communicator* communicator = handles().communicator(comm);
  MPISIM_FILE_REQUIRE(communicator, nullptr, MPI_ERR_COMM, "{}",
                      bad_handle("comm", HandleKind::communicator, comm));
  MPISIM_FILE_REQUIRE(!communicator->is_inter(), nullptr, MPI_ERR_COMM, "comm is an inter-communicator");
  MPISIM_FILE_REQUIRE(filename && *filename, nullptr, MPI_ERR_BAD_FILE, "filename is empty");
  MPISIM_FILE_POINTER(fh, nullptr);
  const Info* hints = handles().info(info);
  MPISIM_FILE_REQUIRE(hints || info == MPI_INFO_NULL, nullptr, MPI_ERR_INFO, "{}",
                      bad_handle("info", HandleKind::info, info));
  return open_file(*communicator, filename, amode, hints, fh);
}

MPISIM_ENTRY(int, File_close, (MPI_File * fh)) {
  MPISIM_CALL(MPI_File_close, input_output);
  MPISIM_FILE_POINTER(fh, nullptr);
  MPISIM_FILE(file, *fh);
  MPISIM_FILE_COMPLETE(file);
  enter(CollectiveCall::close);
  close(file->on_storage);  // MPI-3.1 section 13.2.2
  Communicator& comm = file->comm();
  barrier(comm);
  Failure failure;
  if ((file->amode() & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    if (comm.rank() == 0) {
      const NameLock lock(file->path(), comm.size());
      rank_io().metadata().remove(file->path());
      if (::unlink(file->path().c_str()) != 0) failure = failure_of(errno);
    }
    barrier(comm);  // nobody goes on before the file is gone
  }
  if (comm.rank() == 0) forget_shared_pointer(*file);
  const std::unique_ptr<File> closed(rank_io().files.remove(*fh));
  *fh = MPI_FILE_NULL;
  const int error =
      failure.ok() ? MPI_SUCCESS
                   : raise_error(closed.get(), failure.error_class,
                                 fmt::format("cannot delete file \"{}\": {}", closed->name(), failure.text));
  closed->set_error_handler(MPI_ERRORS_RETURN);
  return error;
}

MPISIM_ENTRY(int, File_delete, (const char* filename, MPI_Info info)) {
  MPISIM_CALL(MPI_File_delete, input_output);
  MPISIM_FILE_REQUIRE(filename && *filename, nullptr, MPI_ERR_BAD_FILE, "filename is empty");
  MPISIM_FILE_REQUIRE(handles().info(info) || info == MPI_INFO_NULL, nullptr, MPI_ERR_INFO, "{}",
                      bad_handle("info", HandleKind::info, info));
  const std::string path = path_of_name(filename);
  std::optional<NameLock> lock(std::in_place, path, 1);
  rank_io().metadata().remove(path);
  const Failure failure = ::unlink(path.c_str()) == 0 ? Failure{} : failure_of(errno);
  lock.reset();
  if (failure.ok()) return MPI_SUCCESS;
  const std::string message = fmt::format("cannot delete file \"{}\": {}", filename, failure.text);
  return failure.error_class == MPI_ERR_NO_SUCH_FILE
             ? raise_answer(failure.error_class, message)  // nothing was to be deleted
             : raise_error(nullptr, failure.error_class, message);
}
