#pragma once
// The numbers of a rank's descriptors. All of them are the rank's own: a new one is the lowest that is free,
// as POSIX promises, so what a program sees depends neither on other ranks nor on the number of host
// processes. The table of a rank leads from a number to a descriptor of the host process, which nobody else
// uses; 0, 1 and 2 lead to the rank's standard streams, not the simulator's, until they are closed or
// duplicated over.
#include <dirent.h>

#include <vector>

#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

/// The table of a rank that has opened, duplicated or closed something.
struct DescriptorState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::descriptors;
  explicit DescriptorState(LibcState&) {}
  ~DescriptorState() override;

  static constexpr int closed = -1;
  struct Entry {
    int meaning = closed;        ///< see descriptor_meaning()
    bool close_on_exec = false;  ///< what the program asked for; real ones are never passed on
    DIR* directory = nullptr;    ///< the stream that owns the real descriptor, if any
  };
  std::vector<Entry> entries{{0}, {1}, {2}};
  std::size_t lowest_free = 3;  ///< no number below is free

  /// Closes all.
  void clear();
  /// What the number has if it is open, else null.
  Entry* find(int number);
  /// Forgets the number, which is open, and gives back what it had.
  Entry remove(int number);
  /// Gives the lowest free number from `minimum` to the entry; -1 with errno = EMFILE if there is none.
  int add(const Entry& entry, int minimum = 0);
  /// Gives a free number to the entry; -1 with errno = EBADF for one beyond all tables.
  int put(const Entry& entry, int number);
};

/// What the rank's number stands for: 0 to 2 a simulated standard stream, above a real descriptor, or
/// DescriptorState::closed.
int descriptor_meaning(RankEnvironment& rank, int number);

/// The real descriptor for calls that move no data: for standard streams one that looks as under mpirun and
/// that nothing harms, -1 for what is closed. Outside of ranks the number itself.
int real_descriptor(int number);
/// The same for the directory of openat and its kind, where AT_FDCWD stands for itself.
int real_directory(int number);

/// Gives a real descriptor (-1: the call that should have made it failed) to the current rank, which gets the
/// number to use. If the rank can have no more, it is closed: -1 with errno. Outside of ranks the descriptor
/// itself.
int give_number(int real, bool close_on_exec = false);

/// The number that a path like /dev/stdout, /dev/fd/5 or /proc/self/fd/5 names, or -1.
int number_in_path(const char* path);

/// dup(): another number, from `minimum` on, for what `number` stands for.
int duplicate_descriptor(RankEnvironment& rank, int number, int minimum = 0, bool close_on_exec = false);
/// dup2().
int duplicate_descriptor_to(RankEnvironment& rank, int from, int to, bool close_on_exec = false);
/// `to` stands for what `from` stood for, which is free then: what freopen does.
void move_descriptor(RankEnvironment& rank, int from, int to);

/// All ranks share the descriptors of the host process: lifts its soft limit to the hard one.
void raise_descriptor_limit();

}  // namespace mpisim::runtime
