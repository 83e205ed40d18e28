#include "mpisim/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace mpisim::mpi {

namespace {

constexpr std::size_t piece = std::size_t{64} << 10;  // what is read of a run at once
constexpr std::size_t written_at_once = std::size_t{1} << 20;

bool later(const OutputRecord& a, const OutputRecord& b) {
  return b < a;
}

std::uint64_t bytes_of(const OutputRecord& record) {
  return sizeof record + record.text.size();
}

int open_nameless() {
  const char* folder = std::getenv("TMPDIR");
  const std::string parent = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  const int file = open(parent.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = parent + "/mpisim-output-XXXXXX";  // not every file system knows nameless files
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

void OutputRecord::pack(kernel::PacketWriter& out) const {
  out.put(time);
  out.put(rank);
  out.put(sequence);
  out.put(fd);
  out.put_text(text);
}

OutputRecord OutputRecord::unpack(kernel::PacketReader& in) {
  OutputRecord record;
  record.time = in.get<kernel::SimTime>();
  record.rank = in.get<int>();
  record.sequence = in.get<std::uint64_t>();
  record.fd = in.get<int>();
  record.text = in.get_text();
  return record;
}

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

bool SpillFile::append(const std::vector<std::byte>& data) {
  if (file_ < 0) file_ = open_nameless();
  if (file_ < 0) return false;
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t written =
        pwrite(file_, data.data() + done, data.size() - done, static_cast<off_t>(size_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  size_ += data.size();
  return true;
}

std::vector<std::byte> SpillFile::read(std::uint64_t offset, std::size_t size) const {
  std::vector<std::byte> data(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = pread(file_, data.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw std::runtime_error(std::string("cannot read the ranks' output back from its temporary file: ") +
                               (got == 0 ? "it has become shorter" : std::strerror(errno)));
    done += static_cast<std::size_t>(got);
  }
  return data;
}

void SpillFile::clear() {
  if (file_ >= 0 && ftruncate(file_, 0) == 0) size_ = 0;
}

void OutputStore::add(OutputRecord record) {
  held_ += bytes_of(record);
  heap_.push_back(std::move(record));
  std::push_heap(heap_.begin(), heap_.end(), later);
  if (held_ > std::max(memory_, spill_at_)) spill();
}

kernel::SimTime OutputStore::first_time() const {
  return empty() ? kernel::SimTime::infinity() : first().time;
}

std::size_t OutputStore::first_run() const {
  std::size_t found = runs_.size();
  const OutputRecord* smallest = heap_.empty() ? nullptr : &heap_.front();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (smallest != nullptr && !(runs_[i].head < *smallest)) continue;
    smallest = &runs_[i].head;
    found = i;
  }
  return found;
}

const OutputRecord& OutputStore::first() const {
  const std::size_t run = first_run();
  return run == runs_.size() ? heap_.front() : runs_[run].head;
}

OutputRecord OutputStore::take() {
  const std::size_t place = first_run();
  if (place == runs_.size()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    OutputRecord record = std::move(heap_.back());
    heap_.pop_back();
    held_ -= bytes_of(record);
    return record;
  }
  Run& run = runs_[place];
  OutputRecord record = std::move(run.head);
  if (!read_head(run)) {
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place));
    if (runs_.empty()) file_.clear();
  }
  return record;
}

void OutputStore::spill() {
  std::sort(heap_.begin(), heap_.end());  // stays a heap if it cannot leave
  Run run;
  run.next = file_.size();
  kernel::PacketWriter out;
  for (std::size_t i = 0; i < heap_.size(); ++i) {
    heap_[i].pack(out);
    if (out.buffer().size() < written_at_once && i + 1 < heap_.size()) continue;
    if (!file_.append(out.buffer())) {
      spill_at_ = 2 * held_;  // no room: memory is all there is
      return;
    }
    out.buffer().clear();
  }
  run.end = file_.size();
  heap_.clear();
  heap_.shrink_to_fit();
  held_ = 0;
  if (read_head(run)) runs_.push_back(std::move(run));
}

bool OutputStore::read_head(Run& run) const {
  constexpr std::size_t header =
      sizeof(kernel::SimTime) + 2 * sizeof(int) + 2 * sizeof(std::uint64_t);  // see OutputRecord::pack
  const auto have = [&run, this](std::size_t bytes) {
    const std::size_t left = run.buffer.size() - run.at;
    if (left >= bytes) return true;
    const std::uint64_t more =
        std::min<std::uint64_t>(std::max<std::size_t>(bytes - left, piece), run.end - run.next);
    if (left + more < bytes) return false;
    std::vector<std::byte> buffer(run.buffer.begin() + static_cast<std::ptrdiff_t>(run.at), run.buffer.end());
    const std::vector<std::byte> read = file_.read(run.next, more);
    buffer.insert(buffer.end(), read.begin(), read.end());
    run.next += more;
    run.buffer = std::move(buffer);
    run.at = 0;
    return true;
  };
  if (!have(header)) return false;
  std::uint64_t text = 0;
  std::memcpy(&text, run.buffer.data() + run.at + header - sizeof text, sizeof text);
  if (!have(header + text)) return false;
  kernel::PacketReader in({run.buffer.data() + run.at, header + text});
  run.head = OutputRecord::unpack(in);
  run.at += header + text;
  return true;
}

}  // namespace mpisim::mpi
