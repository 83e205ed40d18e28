#include "app/machine_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/exit_codes.hpp"
#include "app/suggestions.hpp"
#include "machine/catalogue.hpp"
#include "machine/description.hpp"
#include "machine/show.hpp"

namespace mpisim::app {

std::filesystem::path machine_file(const std::string& name) {
  const std::filesystem::path file = machine::find_machine(name);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) || name.find('/') != std::string::npos ||
      name.ends_with(".yaml"))
    return file;
  std::vector<std::string> names;
  for (const machine::Listed& listed : machine::list_machines()) names.push_back(listed.name);
  throw UsageError(fmt::format("there is no machine '{}'{} (`mpisim machine list` tells all)", name,
                               did_you_mean(name, names)));
}

int machine_show(const Arguments& arguments) {
  const auto file = machine_file(arguments.operands()[0]);
  fmt::print("{}", machine::show(machine::load(file, {arguments.values("set"), {}})));
  return success;
}

int machine_check(const Arguments& arguments) {
  const auto file = machine_file(arguments.operands()[0]);
  const auto faults = machine::check_file(file, {arguments.values("set"), {}});
  for (const machine::Diagnostic& fault : faults) fmt::print(stderr, "{}\n", machine::to_string(fault));
  if (!faults.empty()) return bad_input;
  fmt::print("{}: good\n", file.string());
  return success;
}

int machine_list(const Arguments& arguments) {
  const auto machines = machine::list_machines();
  std::size_t width = 0;
  for (const machine::Listed& listed : machines) width = std::max(width, listed.name.size());
  for (const machine::Listed& listed : machines)
    if (arguments.has("names"))
      fmt::print("{}\n", listed.name);
    else
      fmt::print("{:<{}}  {}\n", listed.name, width, listed.description);
  if (machines.empty()) {
    fmt::print(stderr, "mpisim machine list: found no machine files in:");
    for (const auto& folder : machine::config_folders()) fmt::print(stderr, " {}", folder.string());
    fmt::print(stderr, "\n");
    return bad_input;
  }
  return success;
}

}  // namespace mpisim::app
