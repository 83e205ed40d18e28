#include "mpisim/info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

void Info::set(const std::string& key, const std::string& value) {
  for (auto& [known, old] : pairs)
    if (known == key) {
      old = value;
      return;
    }
  pairs.emplace_back(key, value);
}

const std::string* Info::get(const std::string& key) const {
  for (const auto& [known, value] : pairs)
    if (known == key) return &value;
  return nullptr;
}

bool Info::erase(const std::string& key) {
  return std::erase_if(pairs, [&](const auto& pair) { return pair.first == key; }) != 0;
}

Info environment_info() {
  static constexpr const char* thread_levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                  "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  const Rank& rank = current_rank();
  const std::vector<std::string>& arguments = rank.world().options().arguments;
  Info info;
  const auto set = [&info](const char* key, const std::string& value) {
    info.set(key, value.substr(0, MPI_MAX_INFO_VAL - 1));
  };
  if (!arguments.empty()) {
    set("command", arguments[0]);
    set("argv", fmt::format("{}", fmt::join(arguments.begin() + 1, arguments.end(), " ")));
  }
  set("maxprocs", std::to_string(rank.world_size()));
  set("host", rank.node_name());
  set("thread_level", thread_levels[rank.thread_level]);
  return info;
}

}  // namespace mpisim::mpi
