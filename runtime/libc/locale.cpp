// The locale of a rank. The C library knows one for the process and one for each thread; ranks share both, so
// each rank's is put in place while it runs (RankEnvironment::use_locale).
#include <langinfo.h>
#include <locale.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"

extern "C" char* __wrap_getenv(const char* name);

namespace mpisim::runtime {
namespace {

struct Category {
  int number;
  int mask;
  const char* name;
};

// In the order in which setlocale() names them when they differ.
constexpr std::array<Category, 12> categories{
    {{LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
     {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
     {LC_TIME, LC_TIME_MASK, "LC_TIME"},
     {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
     {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
     {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
     {LC_PAPER, LC_PAPER_MASK, "LC_PAPER"},
     {LC_NAME, LC_NAME_MASK, "LC_NAME"},
     {LC_ADDRESS, LC_ADDRESS_MASK, "LC_ADDRESS"},
     {LC_TELEPHONE, LC_TELEPHONE_MASK, "LC_TELEPHONE"},
     {LC_MEASUREMENT, LC_MEASUREMENT_MASK, "LC_MEASUREMENT"},
     {LC_IDENTIFICATION, LC_IDENTIFICATION_MASK, "LC_IDENTIFICATION"}}};

// What "" means for a category in the rank's own environment.
std::string name_in_environment(const char* category) {
  for (const char* const variable : {"LC_ALL", category, "LANG"}) {
    const char* const value = __wrap_getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

}  // namespace

struct LocaleState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::locale;
  explicit LocaleState(LibcState& state) : rank(state.rank) {}
  ~LocaleState() override {
    rank.use_locale(nullptr);
    if (global != nullptr) freelocale(global);
  }

  /// What setlocale() has set; what it has not is the process's own, "C".
  locale_t current() const { return global != nullptr ? global : LC_GLOBAL_LOCALE; }
  std::string name_of(const Category& category) const {
    return global == nullptr ? setlocale(category.number, nullptr)
                             : nl_langinfo_l(NL_LOCALE_NAME(category.number), global);
  }
  std::string name() const;
  bool set(int category, const char* name);
  /// The one that holds: of uselocale() before that of setlocale().
  void apply() { rank.use_locale(own != LC_GLOBAL_LOCALE ? own : global); }

  RankEnvironment& rank;
  locale_t global = nullptr;
  locale_t own = LC_GLOBAL_LOCALE;  ///< of uselocale()
  std::string answer;
};

std::string LocaleState::name() const {
  const std::string first = name_of(categories[0]);
  bool same = true;
  std::string all;
  for (const Category& category : categories) {
    const std::string one = name_of(category);
    same = same && one == first;
    all += (all.empty() ? "" : ";") + std::string(category.name) + "=" + one;
  }
  return same ? first : all;
}

// All or nothing: a category whose name is not known leaves the others as they were.
bool LocaleState::set(int number, const char* name) {
  locale_t changed = duplocale(current());
  if (changed == nullptr) return false;
  const bool composed = number == LC_ALL && *name != '\0';
  if (composed) {
    const locale_t next = newlocale(LC_ALL_MASK, name, changed);
    if (next == nullptr) freelocale(changed);
    changed = next;
  }
  for (const Category& category : categories) {
    if (composed || changed == nullptr || (number != LC_ALL && number != category.number)) continue;
    const std::string wanted = *name == '\0' ? name_in_environment(category.name) : name;
    const locale_t next = newlocale(category.mask, wanted.c_str(), changed);
    if (next == nullptr) freelocale(changed);
    changed = next;
  }
  if (changed == nullptr) return false;
  const locale_t before = std::exchange(global, changed);
  apply();
  if (before != nullptr) freelocale(before);
  return true;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT char* __wrap_setlocale(int number, const char* name) {
  LocaleState* const state = current_part<LocaleState>();
  if (state == nullptr) return setlocale(number, name);
  if (name != nullptr && !state->set(number, name)) return nullptr;
  if (number == LC_ALL) {
    state->answer = state->name();
    return state->answer.data();
  }
  for (const Category& category : categories)
    if (category.number == number) {
      state->answer = state->name_of(category);
      return state->answer.data();
    }
  return nullptr;
}

MPISIM_EXPORT locale_t __wrap_uselocale(locale_t locale) {
  LocaleState* const state = current_part<LocaleState>();
  if (state == nullptr) return uselocale(locale);
  const locale_t before = state->own;
  if (locale != nullptr) {
    state->own = locale;
    state->apply();
  }
  return before;
}

MPISIM_EXPORT locale_t __wrap_duplocale(locale_t locale) {
  LocaleState* const state = current_part<LocaleState>();
  return duplocale(state != nullptr && locale == LC_GLOBAL_LOCALE ? state->current() : locale);
}
