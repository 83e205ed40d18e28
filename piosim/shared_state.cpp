#include "piosim/shared_state.hpp"

#include "mpisim/rank.hpp"
#include "piosim/file_server.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

namespace {

/// From the current rank's present to the arrival at the server. What leaves a rank takes send_overhead at
/// least (see mpi::World::SendDelays).
kernel::SimTime delay_of(const FileService& service) {
  const mpi::Rank& rank = mpi::current_rank();
  const kernel::SimTime leaves =
      rank.now() + kernel::max(service.client_overhead, mpi::core::config().send_overhead);
  return service.arrival(rank.node(), service.node, leaves) - rank.now();
}

FileCallData ask(FileCallData question) {
  const FileService& service = world_io().service();
  question.asker = mpi::current_rank().strand_number();
  auto* answer = static_cast<FileCall*>(
      mpi::current_rank().ask(service.lp, delay_of(service), make_file_call(question)));
  const FileCallData data = *answer;
  dispose(answer);
  return data;
}

void tell(const FileCallData& message) {
  const FileService& service = world_io().service();
  mpi::current_rank().tell(service.lp, delay_of(service), make_file_call(message));
}

FileCallData pointer_call(File& file, FileOperation operation, std::uint64_t value) {
  file.shared.used = true;
  return {.operation = operation,
          .file = file.shared.file,
          .generation = file.shared.generation,
          .value = value,
          .initial = file.shared.initial};
}

}  // namespace

std::uint64_t advance_shared_pointer(File& file, std::uint64_t etypes) {
  return ask(pointer_call(file, FileOperation::advance, etypes)).value;
}

void set_shared_pointer(File& file, std::uint64_t etypes) {
  ask(pointer_call(file, FileOperation::set, etypes));
}

void forget_shared_pointer(File& file) {
  if (file.shared.used) tell(pointer_call(file, FileOperation::forget, 0));
}

std::uint64_t take_lock(std::uint64_t name, std::uint64_t low, std::uint64_t high, bool write) {
  return ask({.operation = FileOperation::lock, .write = write, .file = name, .low = low, .high = high})
      .value;
}

void release_lock(std::uint64_t name, std::uint64_t number) {
  tell({.operation = FileOperation::unlock, .file = name, .value = number});
}

RangeLock::RangeLock(const Access& access) {
  if (!access.atomic || access.file.comm().size() == 1) return;
  const FilePiece range = access.shown().range(access.position, access.bytes);
  if (range.bytes == 0) return;
  name_ = access.file.lock_name();
  number_ = take_lock(name_, range.offset, range.offset + range.bytes, access.write);
}

RangeLock::~RangeLock() {
  if (number_ != 0) release_lock(name_, number_);
}

}  // namespace mpisim::pio
