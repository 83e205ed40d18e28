#include "runtime/libc/streams.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "runtime/libc/descriptors.hpp"

namespace mpisim::runtime {

namespace {
constexpr std::size_t standard_buffer_size = 1024;
// Bits of FILE::_flags, part of the C library's binary interface.
constexpr int flag_no_reads = 0x4;
constexpr int flag_no_writes = 0x8;
}  // namespace

struct RankStream {
  RankEnvironment* rank = nullptr;  // null once the rank has ended
  int descriptor = -1;
  bool is_standard = false;
  bool reopened = false;  // perhaps in the other direction
  FILE* file = nullptr;
  RankStream* newer = nullptr;
  RankStream* older = nullptr;
  std::unique_ptr<char[]> buffer;
};

namespace {

ssize_t read_cookie(void* cookie, char* data, std::size_t size) {
  auto& stream = *static_cast<RankStream*>(cookie);
  if (stream.rank == nullptr) return 0;
  if (stream.descriptor == 0) {
    FILE* const output = existing_standard_stream(*stream.rank, 1);
    if (output != nullptr) fflush(output);
  }
  return rank_read(*stream.rank, stream.descriptor, data, size);
}

ssize_t write_cookie(void* cookie, const char* data, std::size_t size) {
  auto& stream = *static_cast<RankStream*>(cookie);
  if (stream.rank == nullptr) return static_cast<ssize_t>(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written = rank_write(*stream.rank, stream.descriptor, data + done, size - done);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

int seek_cookie(void* cookie, off64_t* position, int whence) {
  auto& stream = *static_cast<RankStream*>(cookie);
  const int meaning = stream.rank == nullptr ? -1 : descriptor_meaning(*stream.rank, stream.descriptor);
  if (meaning <= 2) {
    errno = meaning < 0 ? EBADF : ESPIPE;
    return -1;
  }
  const off64_t result = lseek64(meaning, *position, whence);
  if (result < 0) return -1;
  *position = result;
  return 0;
}

void unlink_stream(RankStream& stream) {
  if (stream.rank == nullptr) return;
  StreamState& state = stream.rank->libc().part<StreamState>();
  (stream.newer != nullptr ? stream.newer->older : state.opened) = stream.older;
  if (stream.older != nullptr) stream.older->newer = stream.newer;
  stream.newer = stream.older = nullptr;
}

int close_cookie(void* cookie) {
  auto* const stream = static_cast<RankStream*>(cookie);
  unlink_stream(*stream);
  if (stream->rank != nullptr)
    for (FILE*& standard : stream->rank->libc().part<StreamState>().standard)
      if (standard == stream->file) standard = nullptr;
  const int result = stream->rank == nullptr ? 0 : rank_close(*stream->rank, stream->descriptor);
  delete stream;
  return result;
}

void link_stream(StreamState& state, RankStream& stream) {
  stream.rank = &state.rank;
  stream.older = state.opened;
  if (state.opened != nullptr) state.opened->newer = &stream;
  state.opened = &stream;
}

std::unique_ptr<RankStream> make_stream(int descriptor, const char* mode) {
  auto stream = std::make_unique<RankStream>();
  stream->descriptor = descriptor;
  stream->file = fopencookie(stream.get(), mode, {read_cookie, write_cookie, seek_cookie, close_cookie});
  if (stream->file == nullptr) return nullptr;
  // Each stream belongs to one rank, and ranks of a thread take turns only where they block.
  __fsetlocking(stream->file, FSETLOCKING_BYCALLER);
  return stream;
}

// Standard streams of ranks that have ended, by number: closing one costs time in proportion to the number of
// open streams, so they are used again instead.
struct Pool {
  std::mutex mutex;
  std::vector<RankStream*> free[3];
};
Pool& pool() {
  static Pool* const instance = new Pool;  // outlives static destructors: exit() flushes streams late
  return *instance;
}

void set_buffer(RankStream& stream, int number) {
  setvbuf(stream.file, stream.buffer.get(),
          number == 2   ? _IONBF
          : number == 1 ? _IOLBF
                        : _IOFBF,
          number == 2 ? 0 : standard_buffer_size);
}

RankStream* take_standard(int number) {
  RankStream* stream = nullptr;
  {
    Pool& streams = pool();
    const std::lock_guard lock(streams.mutex);
    if (!streams.free[number].empty()) {
      stream = streams.free[number].back();
      streams.free[number].pop_back();
    }
  }
  if (stream == nullptr) {
    stream = make_stream(number, number == 0 ? "r" : "w").release();
    if (stream == nullptr) return nullptr;
    stream->is_standard = true;
    if (number != 2) stream->buffer = std::make_unique<char[]>(standard_buffer_size);
  }
  stream->descriptor = number;
  set_buffer(*stream, number);
  clearerr(stream->file);
  return stream;
}

void give_back(RankStream& stream, int number) {
  set_buffer(stream, number);  // it may have had one of the rank's memory
  Pool& streams = pool();
  const std::lock_guard lock(streams.mutex);
  streams.free[number].push_back(&stream);
}

}  // namespace

StreamState::~StreamState() {
  while (opened != nullptr) {
    RankStream& stream = *opened;
    opened = stream.older;
    stream.newer = stream.older = nullptr;
    if (stream.is_standard && !stream.reopened) {
      __fpurge(stream.file);
      stream.rank = nullptr;
      give_back(stream, stream.descriptor);
      continue;
    }
    __fpurge(stream.file);
    stream.rank = nullptr;
    fclose(stream.file);  // deletes the stream; its descriptor goes with the rank's others
  }
}

FILE* standard_stream(RankEnvironment& rank, int number) {
  StreamState& state = rank.libc().part<StreamState>();
  if (state.standard[number] == nullptr) {
    RankStream* const stream = take_standard(number);
    if (stream == nullptr) return nullptr;
    link_stream(state, *stream);
    state.standard[number] = stream->file;
  }
  return state.standard[number];
}

FILE* existing_standard_stream(RankEnvironment& rank, int number) {
  const LibcState* const libc = rank.existing_libc();
  const StreamState* const state = libc == nullptr ? nullptr : libc->existing<StreamState>();
  return state == nullptr ? nullptr : state->standard[number];
}

FILE* output_stream() {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? stdout : standard_stream(*rank, 1);
}
FILE* input_stream() {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? stdin : standard_stream(*rank, 0);
}
FILE* error_stream() {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? stderr : standard_stream(*rank, 2);
}

FILE* open_stream(RankEnvironment& rank, int descriptor, const char* mode) {
  auto stream = make_stream(descriptor, mode);
  if (stream == nullptr) return nullptr;
  link_stream(rank.libc().part<StreamState>(), *stream);
  return stream.release()->file;
}

RankStream* find_stream(RankEnvironment& rank, FILE* file) {
  const LibcState* const libc = rank.existing_libc();
  const StreamState* const state = libc == nullptr ? nullptr : libc->existing<StreamState>();
  for (RankStream* stream = state == nullptr ? nullptr : state->opened; stream != nullptr;
       stream = stream->older)
    if (stream->file == file) return stream;
  return nullptr;
}

void reconnect(RankStream& stream, int descriptor, const char* mode) {
  fflush(stream.file);
  __fpurge(stream.file);
  stream.reopened = true;
  move_descriptor(*stream.rank, descriptor, stream.descriptor);  // the number of the stream stays
  const bool update = std::strchr(mode, '+') != nullptr;
  stream.file->_flags &= ~(flag_no_reads | flag_no_writes);
  if (!update) stream.file->_flags |= mode[0] == 'r' ? flag_no_writes : flag_no_reads;
  if (stream.is_standard && stream.buffer != nullptr)
    setvbuf(stream.file, stream.buffer.get(), _IOFBF, standard_buffer_size);
  clearerr(stream.file);
  fseeko64(stream.file, 0,
           mode[0] == 'a' ? SEEK_END : SEEK_SET);  // forgets the old position; pipes have none
  clearerr(stream.file);
}

int stream_descriptor(RankEnvironment& rank, FILE* file) {
  const RankStream* const stream = find_stream(rank, file);
  return stream == nullptr ? fileno(file) : stream->descriptor;
}

int flush_streams(RankEnvironment& rank) {
  const LibcState* const libc = rank.existing_libc();
  const StreamState* const state = libc == nullptr ? nullptr : libc->existing<StreamState>();
  int result = 0;
  for (RankStream* stream = state == nullptr ? nullptr : state->opened; stream != nullptr;
       stream = stream->older)
    if (fflush(stream->file) != 0) result = EOF;
  return result;
}

int open_flags(const char* mode) {
  int flags = 0;
  switch (mode[0]) {
    case 'r':
      flags = O_RDONLY;
      break;
    case 'w':
      flags = O_WRONLY | O_CREAT | O_TRUNC;
      break;
    case 'a':
      flags = O_WRONLY | O_CREAT | O_APPEND;
      break;
    default:
      errno = EINVAL;
      return -1;
  }
  for (const char* letter = mode + 1; *letter != '\0' && *letter != ','; ++letter) {
    if (*letter == '+')
      flags = (flags & ~O_ACCMODE) | O_RDWR;
    else if (*letter == 'x')
      flags |= O_EXCL;
    else if (*letter == 'e')
      flags |= O_CLOEXEC;
  }
  return flags;
}

void close_streams(LibcState& state) {
  StreamState* const streams = state.existing<StreamState>();
  if (streams == nullptr) return;
  flush_streams(state.rank);
  for (RankStream* stream = streams->opened; stream != nullptr;) {
    RankStream* const next = stream->older;
    if (!stream->is_standard) fclose(stream->file);
    stream = next;
  }
}

void flush_standard_streams(LibcState& state) {
  for (const int number : {1, 2})
    if (FILE* const stream = existing_standard_stream(state.rank, number); stream != nullptr) fflush(stream);
}

}  // namespace mpisim::runtime
