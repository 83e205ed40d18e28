#pragma once
// Fibers: user-level threads on Boost.Context, and the arenas their stacks come from.
//
// A switch saves the callee-saved registers and the stack pointer, and loads the GS base of the fiber that
// continues (where generated code finds a rank's private data, see runtime/target_abi.h). Fibers stay on the
// thread that made them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpisim::kernel {

/// One stack: [guard, guard + guard_size) is never accessible, [guard + guard_size, top) is usable.
struct Stack {
  std::byte* guard = nullptr;
  std::size_t guard_size = 0;
  std::byte* top = nullptr;
  std::size_t usable() const { return static_cast<std::size_t>(top - guard) - guard_size; }
};

/// Reserves many stacks of one size in one range of addresses, touched lazily. Guards are installed with
/// MADV_GUARD_INSTALL where the kernel has it (no map per stack), else with mprotect while the limit on maps
/// allows.
class StackArena {
 public:
  /// stack_size: bytes per stack with its guard, rounded up to whole pages and to at least 128 KiB. Throws
  /// std::runtime_error with the mend (a smaller --stack-size) if the addresses cannot be reserved.
  StackArena(std::size_t count, std::size_t stack_size);
  ~StackArena();
  StackArena(const StackArena&) = delete;
  StackArena& operator=(const StackArena&) = delete;

  /// The index-th stack; installs its guard, and those of the next ones with it. The top is coloured against
  /// cache-set conflicts.
  Stack stack(std::size_t index);
  /// Gives the memory of a stack whose fiber has ended back to the system. The guard stays.
  void release(std::size_t index);
  /// Whether every stack handed out so far has its guard.
  bool guarded() const { return guarded_; }

 private:
  void install_guards(std::size_t index);

  std::byte* base_ = nullptr;
  std::size_t count_ = 0;
  std::size_t stack_size_ = 0;
  std::size_t guards_ = 0;  ///< so many stacks, from the first on, have theirs, or cannot have it
  bool guarded_ = true;
  bool advisable_ = true;  ///< the kernel may have MADV_GUARD_INSTALL
};

/// Makes the pages that fibers on these stacks touch first, all at once: a fault for each costs more. False
/// if the system does not do that, at least not for all of them: then pages come with their first touch.
bool touch_tops(std::span<const Stack* const> stacks);

/// Asks for the cache lines of [begin, begin + bytes), to be written to. Addresses that do not exist do no
/// harm.
inline void prefetch_lines(const void* begin, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(begin);
  for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(first + line, 1);
}

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Prepares the fiber to call entry(argument) on `stack` at its first resume; entry must never return. The
  /// stack is not touched before.
  void prepare(const Stack& stack, void (*entry)(void*), void* argument);
  void set_segment_base(std::uintptr_t base) { segment_base_ = base; }

  /// Called on the thread's own stack or on another fiber: runs this one until it suspends.
  void resume();
  /// Brings what resume() touches first into the caches: the end of a suspended fiber's stack.
  void prefetch() const { prefetch_lines(context_, prefetched_bytes); }
  /// Called on the fiber: back to whoever resumed it. `last`: it will never be resumed again.
  void suspend(bool last = false);

  const Stack& stack() const { return stack_; }

 private:
  static constexpr std::size_t prefetched_bytes = 512;
  void begin();
  void* context_ = nullptr;
  void* caller_ = nullptr;
  std::uintptr_t segment_base_ = 0;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  Stack stack_;
  [[maybe_unused]] void* sanitizer_fiber_ = nullptr;  // without a sanitizer
  friend struct FiberEntry;
};

}  // namespace mpisim::kernel
