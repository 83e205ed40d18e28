#include "app/questions.hpp"

#include <signal.h>

#include "app/exit_codes.hpp"

namespace mpisim::app {

void ask(pid_t process, Question question) {
  sigqueue(process, SIGUSR2, sigval{.sival_int = static_cast<int>(question)});
}

void ignore_questions() {
  ::signal(SIGUSR2, SIG_IGN);
}

int exit_status(Question question) {
  return question == Question::time_limit ? time_limit : interrupted;
}

}  // namespace mpisim::app
