#pragma once
// Where the merged output of the ranks goes: the user's stdout and stderr, at host 0.
#include <cstddef>
#include <span>

namespace mpisim::app {

/// Receives the ranks' output in its final order, (time, rank, sequence).
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  /// fd is 1 or 2.
  virtual void write(int fd, std::span<const std::byte> data) = 0;
  /// Everything written so far is with the operating system afterwards.
  virtual void flush() = 0;
};

/// Writes to this process' own descriptors. Buffers, so that many short lines cost few system calls: stdout
/// and stderr keep their order when they are the same file or terminal, because a change of descriptor
/// flushes.
class DescriptorSink final : public OutputSink {
 public:
  DescriptorSink();
  ~DescriptorSink() override;
  void write(int fd, std::span<const std::byte> data) override;
  void flush() override;

 private:
  static constexpr std::size_t kCapacity = std::size_t{64} << 10;
  int buffered_for_ = 1;
  bool interactive_ = false;  ///< somebody reads along: no line waits
  std::size_t used_ = 0;
  std::byte buffer_[kCapacity];
};

}  // namespace mpisim::app
