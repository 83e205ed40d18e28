#include "mpisim/attributes.hpp"

#include <algorithm>

namespace mpisim::mpi {

AttributeSet::~AttributeSet() {
  for (const Entry& entry : entries_) entry.keyval->release();
}

const AttributeSet::Entry* AttributeSet::find(const Keyval* keyval) const {
  for (const Entry& entry : entries_)
    if (entry.keyval == keyval) return &entry;
  return nullptr;
}

int AttributeSet::set(int object, Keyval* keyval, void* value) {
  if (const Entry* old = find(keyval)) {
    if (const int error = keyval->remove(object, keyval->handle, old->value, keyval->extra_state))
      return error;
    // The callback may have changed the set: look again.
    for (Entry& entry : entries_)
      if (entry.keyval == keyval) {
        entry.value = value;
        return MPI_SUCCESS;
      }
  }
  ++keyval->references;
  entries_.push_back({keyval, value});
  return MPI_SUCCESS;
}

int AttributeSet::erase(int object, const Keyval* keyval) {
  const Entry* found = find(keyval);
  if (!found) return MPI_SUCCESS;
  const Entry entry = *found;
  if (const int error =
          entry.keyval->remove(object, entry.keyval->handle, entry.value, entry.keyval->extra_state))
    return error;
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& other) { return other.keyval == keyval; });
  if (at != entries_.end()) {
    entries_.erase(at);
    entry.keyval->release();
  }
  return MPI_SUCCESS;
}

int AttributeSet::erase_all(int object) {
  while (!entries_.empty())
    if (const int error = erase(object, entries_.back().keyval)) return error;
  return MPI_SUCCESS;
}

int AttributeSet::copy_from(const AttributeSet& from, int old_object) {
  const std::vector<Entry> entries = from.entries_;  // callbacks may change the set
  for (const Entry& entry : entries) {
    Keyval& keyval = *entry.keyval;
    void* copied = nullptr;
    int flag = 0;
    if (const int error =
            keyval.copy(old_object, keyval.handle, keyval.extra_state, entry.value, &copied, &flag))
      return error;
    if (!flag) continue;
    ++keyval.references;
    entries_.push_back({&keyval, copied});
  }
  return MPI_SUCCESS;
}

}  // namespace mpisim::mpi
