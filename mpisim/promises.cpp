#include "mpisim/promises.hpp"

#include <algorithm>

#include "mpisim/request.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

void TagPromises::promise(int tag, SimTime at, const void* site) {
  if (find(tag) == nullptr) promises_.push_back({tag, at, site});
}

const TagPromises::Promise* TagPromises::find(int tag) const {
  for (const Promise& promise : promises_)
    if (promise.tag == tag || promise.tag == any_tag) return &promise;
  return nullptr;
}

bool TagPromises::note(int tag, int source, SimTime time) {
  std::vector<First>& firsts = firsts_[tag];
  if (std::any_of(firsts.begin(), firsts.end(), [source](const First& f) { return f.source == source; }))
    return false;
  const First first{time, source};
  firsts.insert(std::lower_bound(firsts.begin(), firsts.end(), first), first);
  // Two tell that a promise is broken, and when; messages reach the host in any order, so the earliest are
  // kept. Of a third source later messages are taken for its first, which is harmless.
  if (firsts.size() > 2) firsts.pop_back();
  return true;
}

std::optional<TagPromises::Broken> TagPromises::broken(int tag) const {
  const Promise* promise = find(tag);
  const auto firsts = firsts_.find(tag);
  if (promise == nullptr || firsts == firsts_.end() || firsts->second.size() < 2) return std::nullopt;
  const First& one = firsts->second[0];
  const First& other = firsts->second[1];
  return Broken{tag, std::min(one.source, other.source), std::max(one.source, other.source),
                kernel::max(promise->at, other.time), promise->site};
}

std::vector<int> TagPromises::tags() const {
  std::vector<int> tags;
  for (const auto& [tag, firsts] : firsts_) tags.push_back(tag);
  std::sort(tags.begin(), tags.end());
  return tags;
}

}  // namespace mpisim::mpi
