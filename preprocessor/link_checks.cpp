#include "preprocessor/link_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "runtime/target_abi.h"

namespace mpisim::preprocessor {
namespace {

constexpr const char* user_main = "__mpisim_user_main";
constexpr const char* renamed_prefix = "mpisim_";  // what mpi.h puts in front of the names of MPI calls

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool is_mpi_name(const std::string& name) {
  return starts_with(name, "MPI_") || starts_with(name, "PMPI_");
}

std::string joined(const std::set<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

void warn_of_shared_variables(const std::string& file) {
  fmt::print(stderr,
             "mpisimcc: warning: {}: mpisimcc did not compile it; all ranks of a host process share its "
             "variables\n",
             file);
}

}  // namespace

LinkChecks::LinkChecks(const std::vector<std::string>& objects, const CommandLine& line,
                       const std::string& runtime_library)
    : line_(line),
      shared_libraries_(shared_libraries(objects, line)),
      all_(scan_inputs(objects, line)),
      linked_(linked_objects(all_, {user_main})),
      runtime_exports_(exported_symbols(runtime_library)) {}

std::vector<std::string> LinkChecks::symbols_to_wrap() const {
  std::vector<std::string> result;
  for (const char* name : {
#define X(name) #name,
#include "runtime/libc_wrapped_symbols.def"
#undef X
           ""}) {
    const bool own =
        std::any_of(all_.begin(), all_.end(), [&](const ObjectFacts& o) { return o.defined.count(name); });
    if (*name && !own && runtime_exports_.count(std::string("__wrap_") + name)) result.emplace_back(name);
  }
  return result;
}

bool LinkChecks::has_main() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const ObjectFacts& o) { return o.defined.count(user_main) > 0; });
}

// The linker takes the first of several weak definitions, whatever its size.
void LinkChecks::add_unequal_sizes(std::vector<std::string>& problems) const {
  std::map<std::string, const ObjectFacts*> first;
  for (const ObjectFacts& object : linked_) {
    for (const auto& [name, variable] : object.variables) {
      const auto [known, fresh] = first.emplace(name, &object);
      const ObjectFacts::Variable& other = known->second->variables.at(name);
      if (fresh || other.bytes == variable.bytes || (!other.weak && !variable.weak)) continue;
      problems.push_back(
          fmt::format("{}: the variable {} has {} bytes here and {} in {}; all definitions that "
                      "-fcommon merges must have the same size",
                      object.label, name, variable.bytes, other.bytes, known->second->label));
    }
  }
}

std::set<std::string> LinkChecks::defined_symbols() const {
  std::set<std::string> defined;
  for (const ObjectFacts& object : linked_) defined.insert(object.defined.begin(), object.defined.end());
  for (const std::string& library : shared_libraries_) defined.merge(exported_symbols(library));
  return defined;
}

std::map<std::string, std::set<std::string>> LinkChecks::missing_calls() const {
  const std::set<std::string> defined = defined_symbols();
  std::map<std::string, std::set<std::string>> missing;
  for (const ObjectFacts& object : linked_)
    for (const std::string& name : object.undefined)
      if (starts_with(name, renamed_prefix) && is_mpi_name(name.substr(7)) && !defined.count(name) &&
          !runtime_exports_.count(name))
        missing[name.substr(7)].insert(object.label);
  return missing;
}

std::vector<std::string> LinkChecks::missing_messages() const {
  std::vector<std::string> messages;
  for (const auto& [name, users] : missing_calls())
    messages.push_back(fmt::format("{}: not supported yet (used in {})", name, joined(users)));
  return messages;
}

std::vector<std::string> LinkChecks::problems_before() const {
  std::vector<std::string> problems;
  const std::set<std::string> defined = defined_symbols();
  for (const ObjectFacts& object : linked_) {
    std::set<std::string> plain;
    for (const std::string& name : object.undefined)
      if (is_mpi_name(name) && !defined.count(name)) plain.insert(name);
    if (!plain.empty())
      problems.push_back(
          fmt::format("{}: calls {}, but mpisimcc did not compile it; compile its source with mpisimcc",
                      object.label, joined(plain)));
    const bool replaced = object.weak_main && has_main();
    if (!object.ours && object.defined.count("main") && !line_.shared && !replaced)
      problems.push_back(
          fmt::format("{}: defines main, but mpisimcc did not compile it; compile its source with mpisimcc",
                      object.label));
    if (object.ours && object.interface_version != MPISIM_ABI_VERSION)
      problems.push_back(
          fmt::format("{}: was compiled by an mpisimcc of another version; compile it again", object.label));
    if (object.ours && line_.shared && !object.position_independent)
      problems.push_back(fmt::format("{}: was not compiled with -fPIC, as a shared library's objects must be",
                                     object.label));
    if (!object.ours && object.writable_data) warn_of_shared_variables(object.label);
  }
  for (const std::string& library : shared_libraries_)
    if (has_shared_variables(library)) warn_of_shared_variables(library);
  add_unequal_sizes(problems);
  if (!line_.missing_at_run_time)
    for (const std::string& message : missing_messages()) problems.push_back(message);
  return problems;
}

std::vector<std::string> LinkChecks::problems_after(const std::string& linked) const {
  std::set<std::string> externs;
  for (const ObjectFacts& object : linked_)
    externs.insert(object.private_externs.begin(), object.private_externs.end());
  const auto user_of = [&](const std::string& name) -> std::string {
    for (const ObjectFacts& object : linked_)
      if (object.private_externs.count(name)) return object.label;
    return "?";
  };
  std::vector<std::string> problems;
  const std::set<std::string> in_image = private_exports(linked);
  for (const ObjectFacts& object : linked_)
    for (const std::string& name : object.foreign_externs)
      if (in_image.count(name))
        problems.push_back(fmt::format(
            "{}: takes the variable {} for one of a system library or the linker, which all ranks share, but "
            "the "
            "program defines it; declare it in a header that is not a system's (-I instead of -isystem), or "
            "give it another name",
            object.label, name));
  if (externs.empty()) return problems;
  for (const std::string& name : outside_private_image(linked, externs)) {
    std::string definer = "another object";
    for (const ObjectFacts& object : linked_)
      if (object.defined.count(name)) definer = object.label;
    problems.push_back(
        fmt::format("{}: defines the variable {} that {} uses, but mpisimcc did not compile it, so that "
                    "ranks would share it",
                    definer, name, user_of(name)));
  }
  std::set<std::string> from_libraries = left_to_libraries(linked, externs);
  if (line_.shared) return problems;  // the rest may come from the executable
  for (const std::string& library : shared_libraries_)
    for (const std::string& name : private_exports(library)) from_libraries.erase(name);
  for (const std::string& name : from_libraries)
    problems.push_back(
        fmt::format("{}: uses the variable {} of a shared library that mpisimcc did not make, so that ranks "
                    "would share it; include "
                    "the library's header from a system directory (-isystem) to access it as it is",
                    user_of(name), name));
  return problems;
}

std::vector<std::string> LinkChecks::without_counters(const std::string& linked) const {
  std::vector<std::string> names;
  for (const ObjectFacts& object : linked_)
    if (object.has_code && !object.counted) names.push_back(object.label);
  const auto is_known = [&](const std::string& name) {
    // The C library's functions are priced by the call.
    for (const char* priced : {"libc.so", "libm.so", "libmpisim.so", "libpthread.so", "libdl.so", "librt.so",
                               "libgcc_s.so", "ld-linux"})
      if (starts_with(name, priced)) return true;
    return std::any_of(shared_libraries_.begin(), shared_libraries_.end(), [&](const std::string& path) {
      return std::filesystem::path(path).filename() == name && has_counters(path);
    });
  };
  for (const std::string& name : needed_libraries(linked))
    if (!is_known(std::filesystem::path(name).filename().string())) names.push_back(name);
  return names;
}

}  // namespace mpisim::preprocessor
