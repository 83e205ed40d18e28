#pragma once
// Where the merged output of the ranks goes: the user's stdout and stderr, at host 0.
#include <cstddef>
#include <string_view>

#include "mpisim/world.hpp"

namespace mpisim::app {

class ProgressLine;

/// Writes to this process' own descriptors. Buffers, so that many short lines cost few system calls: stdout
/// and stderr keep their order when they are the same file or terminal, because a change of descriptor
/// flushes.
class DescriptorSink final : public mpi::OutputSink {
 public:
  DescriptorSink();
  ~DescriptorSink() override;
  void write(int fd, std::string_view text) override;
  /// Everything written so far is with the operating system afterwards.
  void flush() override;
  /// Before something else is written to the terminal.
  void erase_progress();
  /// A line to erase before anything is written; null for none.
  void set_progress(ProgressLine* line) { progress_ = line; }
  /// Why the ranks' output is not whole: errno of the first write to standard output that failed; 0: it is.
  int error() const { return error_; }

 private:
  void write_through(int fd, std::string_view text);

  static constexpr std::size_t capacity = std::size_t{64} << 10;
  int buffered_for_ = 1;
  bool interactive_ = false;  ///< somebody reads along: no line waits
  ProgressLine* progress_ = nullptr;
  std::size_t used_ = 0;
  int error_ = 0;
  char buffer_[capacity];
};

}  // namespace mpisim::app
