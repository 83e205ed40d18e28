#include "app/whereabouts.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/descriptors.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/report.hpp"
#include "runtime/crash_report.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::app {

namespace {

// Of the target's signals none comes from outside: these are ours.
constexpr int question_signal = SIGUSR2;
constexpr int users_question = SIGUSR1;

// An answer needs the heap, whose lock the code that was interrupted may hold. It does not while the
// program's own code runs, nor between two events of the simulator; what is neither is asked again after a
// moment, and at last answered all the same.
constexpr long moment_ns = 20'000'000;
constexpr int most_moments = 40;
// Reading debug information may hang if it was given in the midst of the heap's own code.
constexpr unsigned longest_answer_s = 2;

struct State {
  mpi::World* world = nullptr;
  const RunPlan* plan = nullptr;
  Whereabouts::Actions actions;
  pid_t thread = 0;
  timer_t retry{};
  timer_t limit{};
  bool limited = false;
  std::atomic<Question> question = Question::none;
  int moments = 0;
  std::pair<int, const void*> told;  ///< rank and place of the last call that waited for the host
};
State* state = nullptr;

pid_t own_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

std::uintptr_t interrupted_at(const void* context) {
#ifdef __x86_64__
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

// Whether the thread sleeps in a system call: a signal interrupts it at the instruction, which is executed
// again, or behind it.
bool in_system_call(const void* context) {
#ifdef __x86_64__
  const auto* const at = reinterpret_cast<const unsigned char*>(interrupted_at(context));
  constexpr unsigned char first = 0x0f;
  constexpr unsigned char second = 0x05;
  return (at[0] == first && at[1] == second) || (at[-2] == first && at[-1] == second);
#else
  return context != nullptr;
#endif
}

bool rank_runs() {
  return runtime::current_environment() != nullptr &&
         mpi::current_rank().state() == kernel::ProcessLp::State::running;
}

bool own_code_runs() {
  return rank_runs() && !mpi::current_rank().in_simulator();
}

void set_timer(timer_t timer, long nanoseconds, std::int64_t seconds = 0) {
  itimerspec when{};
  when.it_value = {static_cast<time_t>(seconds), nanoseconds};
  timer_settime(timer, 0, &when, nullptr);
}

// On the ranks' own thread: others know neither the rank nor its stack.
timer_t make_timer(Question meaning) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = question_signal;
  event.sigev_value.sival_int = static_cast<int>(meaning);
  event._sigev_un._tid = own_thread();
  timer_t timer{};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  return timer;
}

std::string own_name() {
  const kernel::Engine& engine = state->world->engine();
  return engine.hosts() > 1 ? fmt::format("mpisim: host process {}: ", engine.host()) : "mpisim: ";
}

const char* occasion(Question question) {
  if (question == Question::interrupt) return "interrupted; ";
  return question == Question::time_limit ? "the time limit is over; " : "";
}

void tell_where(Question question) {
  std::string place;
  if (own_code_runs()) place = runtime::describe(runtime::innermost_call().address);
  const std::string text =
      own_name() + occasion(question) + "the ranks are here:\n" + mpi::describe_ranks(*state->world, place);
  state->actions.flush_output();
  say(text);
}

// Nothing of the heap is held by code that sleeps in the kernel.
void tell_host_call() {
  if (!own_code_runs()) return;
  const mpi::Rank& rank = mpi::current_rank();
  const runtime::TargetCall call = runtime::innermost_call();
  const std::pair told(rank.world_rank(), call.address);
  if (std::exchange(state->told, told) == told) return;
  const std::string text =
      fmt::format(" in {} ({}): the call waits for this host", call.called.empty() ? "a call" : call.called,
                  runtime::describe(call.address));
  state->actions.flush_output();
  say(fmt::format("mpisim: rank {} at {}{}\n", rank.world_rank(), kernel::to_string(rank.now()), text));
  state->world->add_warning(rank.world_rank(), "", text);
}

volatile sig_atomic_t status_of_silence = 0;

void give_up_after(unsigned seconds, Question question) {
  status_of_silence = exit_status(question);
  ::signal(SIGALRM, [](int) { _exit(status_of_silence); });
  alarm(seconds);
}

void answer() {
  const Question question = state->question.exchange(Question::none);
  set_timer(state->retry, 0);
  if (question == Question::none) return;
  if (question == Question::host_call) return tell_host_call();
  const bool ends = question == Question::interrupt || question == Question::time_limit;
  if (ends) give_up_after(longest_answer_s, question);
  tell_where(question);
  if (ends) state->actions.end(question);
}

void note(Question question) {
  if (question == Question::none || question < state->question.load()) return;
  state->question = question;
  state->moments = 0;
  set_timer(state->retry, moment_ns);
}

void answer_if_at_rest(const void* context) {
  const bool asleep = in_system_call(context);
  if (state->question == Question::host_call && !asleep) {
    state->question = Question::none;  // it has woken up meanwhile
    set_timer(state->retry, 0);
    return;
  }
  const bool at_rest = own_code_runs() && runtime::is_code_of_target(interrupted_at(context));
  if (state->question == Question::host_call || at_rest || state->moments >= most_moments) {
    answer();
  } else {
    state->world->engine().ask_attention();
    set_timer(state->retry, moment_ns);
  }
}

void on_question(int number, siginfo_t* info, void* context) {
  if (state == nullptr) return;
  if (own_thread() != state->thread) {
    syscall(SYS_rt_tgsigqueueinfo, getpid(), state->thread, number, info);
    return;
  }
  const int error = errno;
  const bool of_user = info->si_code != SI_QUEUE && info->si_code != SI_TIMER;
  const auto meaning = of_user ? Question::none : static_cast<Question>(info->si_value.sival_int);
  if (number == users_question)
    note(Question::where);
  else if (of_user)
    note(Question::interrupt);
  else if (meaning != Question::none)
    note(meaning);
  else
    ++state->moments;
  if (state->question != Question::none) answer_if_at_rest(context);
  errno = error;
}

void handle(int number) {
  struct sigaction action{};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  for (const int other : {question_signal, users_question}) sigaddset(&action.sa_mask, other);
  sigaction(number, &action, nullptr);
}

}  // namespace

Whereabouts::Whereabouts(mpi::World& world, const RunPlan& plan, Actions actions) {
  state = new State;
  state->world = &world;
  state->plan = &plan;
  state->actions = std::move(actions);
  state->thread = own_thread();
  runtime::use_crash_stack();
  runtime::is_code_of_target(0);  // looks for the target's code now, not in a handler
  state->retry = make_timer(Question::none);
  world.engine().on_attention([] { answer(); });
  for (const int number : {question_signal, users_question}) handle(number);
  // From a terminal it comes to every process; `mpisim run` asks those that it has started.
  ::signal(SIGINT, SIG_IGN);
  if (plan.time_limit_s <= 0) return;
  state->limited = true;
  state->limit = make_timer(Question::time_limit);
  const auto seconds = static_cast<std::int64_t>(plan.time_limit_s);
  set_timer(state->limit, static_cast<long>((plan.time_limit_s - static_cast<double>(seconds)) * 1e9),
            seconds);
}

Whereabouts::~Whereabouts() {
  // Late questions find nobody; their default action would be worse.
  for (const int number : {question_signal, users_question}) ::signal(number, SIG_IGN);
  ::signal(SIGINT, SIG_DFL);
  timer_delete(state->retry);
  if (state->limited) timer_delete(state->limit);
  state->world->engine().on_attention({});
  delete std::exchange(state, nullptr);
}

}  // namespace mpisim::app
