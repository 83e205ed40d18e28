#pragma once
// Processor time of the calling thread between two MPI calls, for `--compute measured`.
//
// The processor's time stamp counter is read without a system call (some 10 ns) but goes on while other
// threads have the processor; the thread's own clock of the operating system does not, and takes a system
// call (hundreds of nanoseconds). So short intervals are taken from the counter alone, since nobody else gets
// a processor for so short a time, and from long ones the time is taken off that the thread's clock did not
// see since the two were last compared. Where the counter's rate is not constant, the monotonic clock takes
// its place.
#include <cstdint>

namespace mpisim::mpi {

/// A point in processor time. Starts an interval.
std::uint64_t stopwatch_mark();

/// Nanoseconds of processor time since a mark of this thread, without what reading the clocks takes; >= 0.
double stopwatch_nanoseconds(std::uint64_t mark);

/// Processor time of the calling thread by the operating system's clock, in nanoseconds.
std::int64_t thread_cpu_nanoseconds();

}  // namespace mpisim::mpi
