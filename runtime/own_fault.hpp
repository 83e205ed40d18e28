#pragma once
// A fatal signal that no rank has caused: a fault of the simulator itself, or of a library that it uses.
//
// Such a fault may never show again, so what is printed once must be enough to find it: signal, code and
// address, which host process and thread, what the simulation was doing, and the functions that led to it.
// Everything here is done with system calls and memory that is already there.
#include <csignal>

namespace mpisim::runtime {

/// What this process is, for such a report: its number among `hosts` host processes, and the protocol.
void set_own_identity(int host, int hosts, const char* protocol);

/// What it is doing, such as "simulating". The text must stay valid; it is what all threads are said to do.
void set_own_phase(const char* phase);

/// Writes the report of a fault to stderr. Safe in a handler of the signal, on any thread. Of several faults
/// only the first is reported.
void report_own_fault(int signal, const siginfo_t* info, const void* context);

}  // namespace mpisim::runtime
