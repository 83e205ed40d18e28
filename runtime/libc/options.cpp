// getopt and its family, with their variables per rank. Written from the descriptions in POSIX and the GNU C
// library manual: operands are moved behind options unless POSIXLY_CORRECT is set or the option string says
// otherwise ("+": stop at the first operand, "-": operands are arguments of an option 1).
#include <getopt.h>
#include <string.h>

#include <algorithm>
#include <cstdio>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"
#include "runtime/libc/streams.hpp"

MPISIM_EXPORT char* __wrap_getenv(const char* name);

namespace mpisim::runtime {

struct OptionState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::options;
  explicit OptionState(LibcState&) {}

  enum class Order { permute, stop_at_operand, return_operands };

  // The four variables of the program.
  char* argument = nullptr;
  int index = 1;
  int print_errors = 1;
  int option = '?';

  bool started = false;
  Order order = Order::permute;
  const char* next_letter = nullptr;  // in a group of short options
  int first_operand = 1;  // [first_operand, last_operand): operands that options were moved before
  int last_operand = 1;
};

namespace {

class Scanner {
 public:
  Scanner(OptionState& state, int argc, char** argv, const char* letters, const option* long_options,
          int* long_index, bool long_only)
      : state_(state),
        argc_(argc),
        argv_(argv),
        letters_(letters),
        long_options_(long_options),
        long_index_(long_index),
        long_only_(long_only) {}

  int next() {
    if (argc_ < 1) return -1;
    state_.argument = nullptr;
    start();
    if (*letters_ == '-' || *letters_ == '+') ++letters_;
    prints_ = state_.print_errors != 0 && *letters_ != ':';
    if (state_.next_letter == nullptr || *state_.next_letter == '\0') {
      int result = 0;
      if (advance(result)) return result;
    }
    return short_option();
  }

 private:
  void start() {
    if (state_.index != 0 && state_.started) return;
    if (state_.index == 0) state_.index = 1;
    state_.started = true;
    state_.first_operand = state_.last_operand = state_.index;
    state_.next_letter = nullptr;
    if (*letters_ == '-')
      state_.order = OptionState::Order::return_operands;
    else if (*letters_ == '+' || __wrap_getenv("POSIXLY_CORRECT") != nullptr)
      state_.order = OptionState::Order::stop_at_operand;
    else
      state_.order = OptionState::Order::permute;
  }

  bool is_operand(int index) const { return argv_[index][0] != '-' || argv_[index][1] == '\0'; }

  // Brings the options found since behind the operands in front of them.
  void exchange() {
    std::rotate(argv_ + state_.first_operand, argv_ + state_.last_operand, argv_ + state_.index);
    state_.first_operand += state_.index - state_.last_operand;
    state_.last_operand = state_.index;
  }

  // Goes to the next element of argv; true if `result` is the answer already.
  bool advance(int& result) {
    state_.first_operand = std::min(state_.first_operand, state_.index);
    state_.last_operand = std::min(state_.last_operand, state_.index);
    if (state_.order == OptionState::Order::permute) {
      if (state_.first_operand != state_.last_operand && state_.last_operand != state_.index)
        exchange();
      else if (state_.last_operand != state_.index)
        state_.first_operand = state_.index;
      while (state_.index < argc_ && is_operand(state_.index)) ++state_.index;
      state_.last_operand = state_.index;
    }
    if (state_.index != argc_ && strcmp(argv_[state_.index], "--") == 0) {
      ++state_.index;
      if (state_.first_operand != state_.last_operand && state_.last_operand != state_.index)
        exchange();
      else if (state_.first_operand == state_.last_operand)
        state_.first_operand = state_.index;
      state_.last_operand = argc_;
      state_.index = argc_;
    }
    if (state_.index == argc_) {
      if (state_.first_operand != state_.last_operand) state_.index = state_.first_operand;
      result = -1;
      return true;
    }
    if (is_operand(state_.index)) {
      if (state_.order == OptionState::Order::stop_at_operand) {
        result = -1;
        return true;
      }
      state_.argument = argv_[state_.index++];
      result = 1;
      return true;
    }
    char* const element = argv_[state_.index];
    if (long_options_ != nullptr) {
      if (element[1] == '-') return long_option(element + 2, "--", result);
      // With getopt_long_only a single '-' may also start a long option, unless it reads as a short one.
      if (long_only_ && (element[2] != '\0' || strchr(letters_, element[1]) == nullptr)) {
        if (long_option(element + 1, "-", result)) return true;
      }
    }
    state_.next_letter = element + 1;
    return false;
  }

  // True if `result` is the answer; false if the element is no long option after all.
  bool long_option(char* name, const char* prefix, int& result) {
    const std::size_t size = strcspn(name, "=");
    const option* found = nullptr;
    bool ambiguous = false;
    for (const option* candidate = long_options_; candidate->name != nullptr; ++candidate) {
      if (strncmp(candidate->name, name, size) != 0) continue;
      if (strlen(candidate->name) == size) {
        found = candidate;
        ambiguous = false;
        break;
      }
      if (found == nullptr)
        found = candidate;
      else if (long_only_ || found->has_arg != candidate->has_arg || found->flag != candidate->flag ||
               found->val != candidate->val)
        ambiguous = true;
    }
    if (found == nullptr && long_only_ && prefix[1] == '\0' && strchr(letters_, *name) != nullptr)
      return false;
    state_.next_letter = nullptr;
    ++state_.index;
    if (found == nullptr || ambiguous) {
      if (ambiguous)
        report_ambiguous(name, size, prefix);
      else if (prints_)
        fprintf(error_stream(), "%s: unrecognized option '%s%s'\n", argv_[0], prefix, name);
      state_.option = 0;
      result = '?';
      return true;
    }
    result = finish_long(*found, name[size] == '=' ? name + size + 1 : nullptr, prefix);
    return true;
  }

  void report_ambiguous(const char* name, std::size_t size, const char* prefix) const {
    if (!prints_) return;
    FILE* const stream = error_stream();
    fprintf(stream, "%s: option '%s%s' is ambiguous; possibilities:", argv_[0], prefix, name);
    for (const option* candidate = long_options_; candidate->name != nullptr; ++candidate)
      if (strncmp(candidate->name, name, size) == 0) fprintf(stream, " '%s%s'", prefix, candidate->name);
    fputc('\n', stream);
  }

  int finish_long(const option& found, char* value, const char* prefix) {
    if (value != nullptr && found.has_arg == no_argument) {
      if (prints_)
        fprintf(error_stream(), "%s: option '%s%s' doesn't allow an argument\n", argv_[0], prefix,
                found.name);
      state_.option = found.val;
      return '?';
    }
    if (value == nullptr && found.has_arg == required_argument) {
      if (state_.index >= argc_) {
        if (prints_)
          fprintf(error_stream(), "%s: option '%s%s' requires an argument\n", argv_[0], prefix, found.name);
        state_.option = found.val;
        return *letters_ == ':' ? ':' : '?';
      }
      value = argv_[state_.index++];
    }
    state_.argument = value;
    if (long_index_ != nullptr) *long_index_ = static_cast<int>(&found - long_options_);
    if (found.flag == nullptr) return found.val;
    *found.flag = found.val;
    return 0;
  }

  int short_option() {
    const char letter = *state_.next_letter++;
    const char* const found = letter == ':' || letter == ';' ? nullptr : strchr(letters_, letter);
    const bool last = *state_.next_letter == '\0';
    if (last) ++state_.index;
    if (found == nullptr) {
      if (prints_) fprintf(error_stream(), "%s: invalid option -- '%c'\n", argv_[0], letter);
      state_.option = letter;  // NOLINT(bugprone-signed-char-misuse): negative as in the GNU library
      return '?';
    }
    const bool names_long_option = letter == 'W' && found[1] == ';' && long_options_ != nullptr;
    if (found[1] != ':' && !names_long_option) return letter;
    char* value = last ? nullptr : const_cast<char*>(state_.next_letter);
    if (!last) ++state_.index;
    state_.next_letter = nullptr;
    if ((found[2] != ':' || names_long_option) &&
        value == nullptr) {  // a required argument is the next element
      if (state_.index >= argc_) {
        if (prints_) fprintf(error_stream(), "%s: option requires an argument -- '%c'\n", argv_[0], letter);
        state_.option = letter;  // NOLINT(bugprone-signed-char-misuse): negative as in the GNU library
        return *letters_ == ':' ? ':' : '?';
      }
      value = argv_[state_.index++];
    }
    state_.argument = value;
    if (names_long_option) {
      int result = 0;
      --state_.index;
      return long_option(value, "-W ", result) ? result : '?';
    }
    return letter;
  }

  OptionState& state_;
  int argc_;
  char** argv_;
  const char* letters_;
  const option* long_options_;
  int* long_index_;
  bool long_only_;
  bool prints_ = true;
};

}  // namespace
}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_getopt(int argc, char* const argv[], const char* letters) {
  OptionState* const state = current_part<OptionState>();
  if (state == nullptr) return getopt(argc, argv, letters);
  return Scanner(*state, argc, const_cast<char**>(argv), letters, nullptr, nullptr, false).next();
}

// What POSIX-only headers call getopt.
MPISIM_EXPORT int __wrap___posix_getopt(int argc, char* const argv[], const char* letters) {
  if (current_environment() == nullptr) return getopt(argc, argv, letters);
  std::string strict = *letters == '+' || *letters == '-' ? letters : std::string("+") + letters;
  return __wrap_getopt(argc, argv, strict.c_str());
}

MPISIM_EXPORT int __wrap_getopt_long(int argc, char* const argv[], const char* letters,
                                     const option* long_options, int* long_index) {
  OptionState* const state = current_part<OptionState>();
  if (state == nullptr) return getopt_long(argc, argv, letters, long_options, long_index);
  return Scanner(*state, argc, const_cast<char**>(argv), letters, long_options, long_index, false).next();
}

MPISIM_EXPORT int __wrap_getopt_long_only(int argc, char* const argv[], const char* letters,
                                          const option* long_options, int* long_index) {
  OptionState* const state = current_part<OptionState>();
  if (state == nullptr) return getopt_long_only(argc, argv, letters, long_options, long_index);
  return Scanner(*state, argc, const_cast<char**>(argv), letters, long_options, long_index, true).next();
}

MPISIM_EXPORT char** mpisim_libc_optarg(void) {
  OptionState* const state = current_part<OptionState>();
  return state == nullptr ? &optarg : &state->argument;
}
MPISIM_EXPORT int* mpisim_libc_optind(void) {
  OptionState* const state = current_part<OptionState>();
  return state == nullptr ? &optind : &state->index;
}
MPISIM_EXPORT int* mpisim_libc_opterr(void) {
  OptionState* const state = current_part<OptionState>();
  return state == nullptr ? &opterr : &state->print_errors;
}
MPISIM_EXPORT int* mpisim_libc_optopt(void) {
  OptionState* const state = current_part<OptionState>();
  return state == nullptr ? &optopt : &state->option;
}
