#pragma once
// Names of functions, found with system calls alone: the heap, the loader's locks and the state of libraries
// may be what is broken when they are asked for.
#include <cstddef>
#include <cstdint>

namespace mpisim::runtime {

/// Text in fixed memory; what does not fit is cut off.
class RawText {
 public:
  RawText& operator<<(const char* text);
  RawText& operator<<(std::int64_t number);
  RawText& hexadecimal(std::uint64_t number);
  const char* data() const { return text_; }
  std::size_t size() const { return size_; }
  /// Writes it to a descriptor and empties it.
  void flush(int fd);

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

/// Appends the object file that holds `address`, the function, as the linker calls it, and the distances from
/// both, such as "libmpisim.so+0x1f2a0 _ZN6mpisim6kernel6Engine4sendEPNS0_5EventE+0x10". Leaves out what it
/// cannot find.
void append_symbol(RawText& text, std::uintptr_t address);

}  // namespace mpisim::runtime
