#pragma once
// Questions that `mpisim run` asks a host process, as signals: a rank in an endless loop hears nothing else.
// A user asks the first by SIGUSR1.
#include <sys/types.h>

namespace mpisim::app {

enum class Question : int {
  none,
  where,      ///< tell where the ranks are, and go on
  host_call,  ///< tell whether a call of the program waits for the host, and go on
  interrupt,  ///< tell where the ranks are, and end
  time_limit  ///< the same, by the host process's own clock
};

/// Sends a question to a host process of this machine. One that does not answer questions yet is ended by it.
void ask(pid_t process, Question question);

/// Of a host process that ends by one of the last two.
int exit_status(Question question);

}  // namespace mpisim::app
