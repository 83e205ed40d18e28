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

/// Sends a question to a host process of this machine.
void ask(pid_t process, Question question);

/// Questions are ignored until this process, or what it becomes by exec, can answer them.
void ignore_questions();

/// Of a host process that ends by one of the last two.
int exit_status(Question question);

}  // namespace mpisim::app
