#include "piosim/data_call.hpp"

#include <algorithm>

#include "mpisim/rank.hpp"
#include "mpisim/statuses.hpp"
#include "piosim/agreement.hpp"
#include "piosim/arguments.hpp"
#include "piosim/background.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

using namespace mpi;

CallData::CallData(const DataCall& call, const Datatype& type, const View& view, int& error)
    : call_(call), representation_(&view.representation()) {
  const auto count = static_cast<std::uint64_t>(call.count);
  error = MPI_SUCCESS;
  if (representation_->native() && type.contiguous()) {
    bytes_ = count * type.size();
    data_ = static_cast<std::byte*>(call.buffer);
    return;
  }
  type_ = TypePointer::share(type);
  bytes_ = count * representation_->layout(type)->size();
  packed_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  data_ = packed_.get();
  const bool moves = world_io().config.moves_data;
  copies_ = moves || !representation_->native();
  // How much of the program's buffer a part of the data is, other representations tell when they convert it.
  if (copies_ && !moves && call.kind == Kind::read) std::fill_n(data_, bytes_, std::byte{});
  if (call.kind == Kind::read || bytes_ == 0) return;
  if (copies_) error = representation_->to_file(type, call.datatype, call.buffer, count, data_);
  core::charge_copy(bytes_);
}

int CallData::take(std::uint64_t bytes, std::uint64_t& memory_bytes) {
  memory_bytes = bytes;
  if (!packed_ || bytes == 0) return MPI_SUCCESS;
  core::charge_copy(bytes);
  if (!copies_) return MPI_SUCCESS;
  return representation_->from_file(*type_, call_.datatype, call_.buffer,
                                    static_cast<std::uint64_t>(call_.count), data_, bytes, memory_bytes);
}

std::uint64_t CallData::memory_bytes(std::uint64_t bytes) const {
  if (representation_->native() || bytes_ == 0) return bytes;
  return bytes == bytes_ ? static_cast<std::uint64_t>(call_.count) * type_->size()
                         : bytes / (bytes_ / static_cast<std::uint64_t>(call_.count)) * type_->size();
}

namespace {

/// What a call stands for once its arguments have been checked; null if they are wrong.
struct Checked {
  File* file = nullptr;
  const Datatype* type = nullptr;
};

int check(MPI_File fh, const DataCall& call, Checked& checked) {
  MPISIM_FILE(file, fh);
  const bool write = call.kind == Kind::write;
  MPISIM_FILE_REQUIRE(!write || file->writable(), file, MPI_ERR_READ_ONLY,
                      "file \"{}\" was opened with MPI_MODE_RDONLY", file->name());
  MPISIM_FILE_REQUIRE(write || file->readable(), file, MPI_ERR_ACCESS,
                      "file \"{}\" was opened with MPI_MODE_WRONLY", file->name());
  MPISIM_FILE_REQUIRE(
      !file->sequential() || call.pointer == Pointer::shared, file, MPI_ERR_UNSUPPORTED_OPERATION,
      "file \"{}\" was opened with MPI_MODE_SEQUENTIAL: it has a shared file pointer only", file->name());
  MPISIM_FILE_REQUIRE(call.pointer != Pointer::explicit_offset || call.offset >= 0, file, MPI_ERR_ARG,
                      "offset is {}", call.offset);
  MPISIM_FILE_REQUIRE(call.count >= 0, file, MPI_ERR_COUNT, "count is {}", call.count);
  MPISIM_FILE_TYPE(type, call.datatype, file);
  const std::uint64_t bytes = static_cast<std::uint64_t>(call.count) * type->size();
  MPISIM_FILE_REQUIRE(call.buffer || bytes == 0 || !type->predefined(), file, MPI_ERR_BUFFER,
                      "the buffer is a null pointer, with count {}", call.count);
  const std::uint64_t etype = file->view.etype().size();
  MPISIM_FILE_REQUIRE(bytes % etype == 0, file, MPI_ERR_IO,  // the class that ROMIO returns
                      "{} bytes of data are no multiple of the view's etype of {} bytes", bytes, etype);
  checked = {file, type};
  return MPI_SUCCESS;
}

/// Between begin and end of a split collective there is no other collective access (section 13.4.5).
int check_no_split(MPI_File fh) {
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(!file->split, file, MPI_ERR_IO,
                      "another split collective of file \"{}\" has begun and not ended", file->name());
  return MPI_SUCCESS;
}

int raise_conversion(File& file) {
  return raise_error(&file, MPI_ERR_CONVERSION,
                     fmt::format("the data representation \"{}\" could not convert the data",
                                 file.view.representation().name()));
}

/// Where the access is, in bytes of the view's stream; the file pointer goes behind what the call asks for
/// (section 13.4.3).
std::uint64_t position_of(File& file, const DataCall& call, std::uint64_t bytes) {
  const std::uint64_t etype = file.view.etype_size();
  switch (call.pointer) {
    case Pointer::explicit_offset:
      return static_cast<std::uint64_t>(call.offset) * etype;
    case Pointer::individual:
      file.position += bytes / etype;
      return (file.position - bytes / etype) * etype;
    case Pointer::shared:
      break;
  }
  return advance_shared_pointer(file, bytes / etype) * etype;
}

/// The same for all ranks together: with shared pointers in the order of ranks.
std::uint64_t common_position_of(File& file, const DataCall& call, std::uint64_t bytes) {
  if (call.pointer != Pointer::shared) return position_of(file, call, bytes);
  enter(call.kind == Kind::write ? CollectiveCall::write_ordered : CollectiveCall::read_ordered);
  Communicator& comm = file.comm();
  const std::uint64_t etype = file.view.etype_size();
  const std::uint64_t below = sum_below(comm, bytes / etype);
  std::uint64_t first[1] = {};
  const int last = comm.size() - 1;
  if (comm.rank() == last) first[0] = advance_shared_pointer(file, below + bytes / etype);
  broadcast(comm, first, last);
  return (first[0] + below) * etype;
}

/// What was moved, in the program's buffer and the status; errors.
int finish(File& file, CallData& data, Kind kind, const Outcome& outcome, core::Status& told) {
  int conversion = MPI_SUCCESS;
  if (kind == Kind::read)
    conversion = data.take(outcome.bytes, told.bytes);
  else
    told.bytes = data.memory_bytes(outcome.bytes);
  const Failure& failure = outcome.failure;
  if (failure.ok()) return conversion == MPI_SUCCESS ? MPI_SUCCESS : raise_conversion(file);
  if (failure.text.empty()) return raise_silently(&file, failure.error_class);
  return raise_error(
      &file, failure.error_class,
      fmt::format("{} of {} bytes {} file \"{}\": {}", outcome.bytes, data.bytes(),
                  kind == Kind::write ? "written to" : "read from", file.name(), failure.text));
}

/// The whole of a call that has moved its data when it returns: `place` gives the position in the view's
/// stream, `move` moves the data.
int access_now(MPI_File fh, const DataCall& call, MPI_Status* status,
               std::uint64_t place(File&, const DataCall&, std::uint64_t), Outcome move(const Access&)) {
  Checked checked;
  if (const int error = check(fh, call, checked); checked.file == nullptr) return error;
  File& file = *checked.file;
  int conversion = MPI_SUCCESS;
  CallData data(call, *checked.type, file.view, conversion);
  if (conversion != MPI_SUCCESS) return raise_conversion(file);
  const std::uint64_t position = place(file, call, data.bytes());
  const Outcome outcome = move({file, position, data.data(), data.bytes(), call.kind == Kind::write});
  core::Status told;
  const int error = finish(file, data, call.kind, outcome, told);
  set_status(status, told);
  return error;
}

/// The same beside the program, by all ranks of the file: what goes on is all of it, messages and accesses.
class CollectiveWork final : public BackgroundWork {
 public:
  CollectiveWork(File& file, const DataCall& call, const Datatype& type, int& conversion)
      : unfinished_(file),
        state_(rank_io()),
        kind_(call.kind),
        view_(file.view),
        data_(call, type, view_, conversion),
        atomic_(file.atomic),
        place_(file.on_storage),
        beside_(state_.take_beside()),
        comm_(own_numbering(file)),
        turn_(file.comm().next_collective()) {
    place_.beside = beside_.get();
  }
  ~CollectiveWork() override {
    comm_->release();
    state_.give_back(std::move(beside_));
  }
  CollectiveWork(const CollectiveWork&) = delete;
  CollectiveWork& operator=(const CollectiveWork&) = delete;

  const CallData& data() const { return data_; }

  void start(Request& request, std::uint64_t position) {
    enter(kind_ == Kind::write ? CollectiveCall::start_write : CollectiveCall::start_read);
    current_rank().start_strand(request, [this, position] {
      outcome_ = access_together({unfinished_.file(), position, data_.data(), data_.bytes(),
                                  kind_ == Kind::write, comm_, turn_, &place_, &view_, atomic_});
    });
  }

  int finish(core::Status& status) override {
    return pio::finish(unfinished_.file(), data_, kind_, outcome_, status);
  }
  std::string describe() const override {
    return fmt::format("{} file \"{}\" together with the other ranks",
                       kind_ == Kind::write ? "writing to" : "reading from", unfinished_.file().name());
  }

 private:
  /// The file's ranks, with a context that is equal on all of them and of this access alone: messages of
  /// accesses that go on at the same time have no order.
  static Communicator* own_numbering(File& file) {
    constexpr std::uint64_t accesses = std::uint64_t{1} << 63;
    auto shared = std::make_shared<CommunicatorShared>(file.comm().shared());
    shared->context = derive_context(shared->context, accesses | file.comm().next_collective());
    return new Communicator(std::move(shared), file.comm().rank());
  }

  Unfinished unfinished_;
  RankIo& state_;
  Kind kind_;
  View view_;
  CallData data_;
  bool atomic_;
  FileOnStorage place_;
  std::unique_ptr<Storage> beside_;
  Communicator* comm_;
  std::uint32_t turn_;
  Outcome outcome_;
};

/// Starts a collective access; null after an error, which `error` tells.
Request* start_together(File& file, const DataCall& call, const Datatype& type, int& error) {
  int conversion = MPI_SUCCESS;
  auto work = std::make_unique<CollectiveWork>(file, call, type, conversion);
  if (conversion != MPI_SUCCESS) {
    error = raise_conversion(file);
    return nullptr;
  }
  const std::uint64_t position = common_position_of(file, call, work->data().bytes());
  Rank& rank = current_rank();
  Request* request = rank.make_request(Request::Kind::background, file.comm(), core::Plane::user);
  rank.start(*request);
  CollectiveWork& started = *work;
  request->work = work.release();
  started.start(*request, position);
  return request;
}

}  // namespace

int access_blocking(MPI_File fh, const DataCall& call, MPI_Status* status) {
  return access_now(fh, call, status, position_of, access_alone);
}

int access_collectively(MPI_File fh, const DataCall& call, MPI_Status* status) {
  if (const int error = check_no_split(fh); error != MPI_SUCCESS) return error;
  return access_now(fh, call, status, common_position_of, [](const Access& access) {
    enter(access.write ? CollectiveCall::write : CollectiveCall::read);
    Access all = access;
    all.turn = access.file.comm().next_collective();
    return access_together(all);
  });
}

int access_nonblocking(MPI_File fh, const DataCall& call, MPI_Request* handle) {
  Checked checked;
  if (const int error = check(fh, call, checked); checked.file == nullptr) return error;
  File& file = *checked.file;
  MPISIM_FILE_POINTER(handle, &file);
  int conversion = MPI_SUCCESS;
  CallData data(call, *checked.type, file.view, conversion);
  if (conversion != MPI_SUCCESS) return raise_conversion(file);
  const std::uint64_t position = position_of(file, call, data.bytes());
  const Access access{file, position, data.data(), data.bytes(), call.kind == Kind::write};
  Request* request = nullptr;
  Outcome outcome;
  if (file.atomic) {
    outcome = access_alone(access);
    request = start_in_background(file, {}, access.write, outcome.failure);
  } else {
    request = start_alone(access, outcome);
  }
  std::uint64_t& bytes = request->status.bytes;
  bytes = data.memory_bytes(outcome.bytes);
  if (call.kind == Kind::read) conversion = data.take(outcome.bytes, bytes);
  request->handle = *handle = handles().add_request(request);
  return conversion == MPI_SUCCESS ? MPI_SUCCESS : raise_conversion(file);
}

int access_collectively_nonblocking(MPI_File fh, const DataCall& call, MPI_Request* handle) {
  if (const int error = check_no_split(fh); error != MPI_SUCCESS) return error;
  Checked checked;
  if (const int error = check(fh, call, checked); checked.file == nullptr) return error;
  MPISIM_FILE_POINTER(handle, checked.file);
  int error = MPI_SUCCESS;
  Request* request = start_together(*checked.file, call, *checked.type, error);
  if (request != nullptr) request->handle = *handle = handles().add_request(request);
  return error;
}

int begin_split(MPI_File fh, const DataCall& call) {
  if (const int error = check_no_split(fh); error != MPI_SUCCESS) return error;
  Checked checked;
  if (const int error = check(fh, call, checked); checked.file == nullptr) return error;
  File& file = *checked.file;
  int error = MPI_SUCCESS;
  Request* request = start_together(file, call, *checked.type, error);
  if (request != nullptr) file.split = std::make_unique<SplitCall>(call.kind, call.pointer, request);
  return error;
}

int end_split(MPI_File fh, Kind kind, Pointer pointer, MPI_Status* status) {
  MPISIM_FILE(file, fh);
  MPISIM_FILE_REQUIRE(file->split && file->split->kind == kind && file->split->pointer == pointer, file,
                      MPI_ERR_IO, "no split collective of this kind has begun for file \"{}\"", file->name());
  Request* request = file->split->request;
  file->split.reset();
  Rank& rank = current_rank();
  rank.complete_all({&request, 1});
  const int error = request->work->finish(request->status);
  set_status(status, request->status);
  rank.free_request(request);
  return error;
}

}  // namespace mpisim::pio
