#include "mpisim/info.hpp"

#include <algorithm>

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

}  // namespace mpisim::mpi
