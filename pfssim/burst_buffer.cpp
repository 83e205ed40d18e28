#include "pfssim/burst_buffer.hpp"

#include <algorithm>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

namespace {
/// Of timers, in TransactionData::ticket.
constexpr std::uint32_t age = 0;
constexpr std::uint32_t pace = 1;
}  // namespace

BurstBuffer::BurstBuffer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      burst_(system.parameters().burst),
      node_(system.node_of(id)),
      below_(system.client_of(id)),
      device_(burst_.device) {
  make_immediate();
  statistics_.kind = NodeKind::burst_buffer;
  statistics_.number = id - system.burst_buffer(0);
}

BurstBuffer::~BurstBuffer() {
  // Requests of a run that was stopped.
  for (std::uint32_t part = 0; part < parts_.size(); ++part) dispose(parts_[part].message);
}

NodeStatistics BurstBuffer::statistics() const {
  NodeStatistics statistics = statistics_;
  statistics.burst.left = bytes_.dirty();
  return statistics;
}

void BurstBuffer::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::part:
      accept(transaction);
      return;
    case EventKind::work:
      perform(transaction);
      return;
    case EventKind::served:
      answer(transaction);
      return;
    case EventKind::reply:
      came_back(transaction);
      return;
    default:
      (transaction->ticket == age ? timer_set_ : paced_) = false;
      dispose(transaction);
      drain();
  }
}

void BurstBuffer::accept(Transaction* message) {
  const Parameters& parameters = system_.parameters();
  if (moves_data(message->operation))
    statistics_.requests.count(message->bytes, message->operation == Operation::write);
  SimTime at = now();
  if (system_.node_of(message->client) != node_) {
    const SimTime taken = system_.network().take_from(system_.node_of(message->client), node_,
                                                      request_size(parameters, *message), now(), port_);
    at = processor_free_ = kernel::max(taken, processor_free_) + parameters.server_overhead;
    statistics_.busy += parameters.server_overhead;
    statistics_.last_end = processor_free_;
  }
  message->kind = static_cast<std::uint16_t>(EventKind::work);
  send(id(), until(at, now()), message);
}

void BurstBuffer::perform(Transaction* message) {
  const std::uint32_t part = parts_.take();
  parts_[part] = {message, 1, {}, 0, now()};
  switch (message->operation) {
    case Operation::read:
      begin_read(part);
      break;
    case Operation::write:
      begin_write(part);
      break;
    default:
      begin_sync(part);
  }
}

void BurstBuffer::begin_write(std::uint32_t number) {
  Part& part = parts_[number];
  for_each_range(*part.message, [&](const Range& range) {
    for (std::uint64_t done = 0; done < range.bytes; done += burst_.transfer)
      part.ranges.push_back({range.offset + done, std::min(burst_.transfer, range.bytes - done)});
  });
  waiting_.push_back(number);
  admit();
  if (!waiting_.empty() && waiting_.back() == number) ++statistics_.burst.full_waits;
}

/// Writes go on for which there is room.
void BurstBuffer::admit() {
  while (!waiting_.empty()) {
    const std::uint32_t number = waiting_.front();
    Part& part = parts_[number];
    Transaction& message = *part.message;
    const Range range = part.ranges[part.next];
    const auto lacking = [&] {
      const std::uint64_t wanted = bytes_.used() + bytes_.missing(message.file, range);
      return wanted > burst_.capacity ? wanted - burst_.capacity : 0;
    };
    // Bytes of the range itself may go: then more of it are missing.
    for (std::uint64_t before = bytes_.used() + 1; lacking() > 0 && bytes_.used() < before;) {
      before = bytes_.used();
      bytes_.make_room(lacking());
    }
    if (lacking() > 0) break;
    bytes_.write(message.file, range, now());
    statistics_.burst.absorbed += range.bytes;
    if (system_.parameters().caching.versions) {
      last_version_ = std::max(static_cast<std::uint64_t>(now().ps()), last_version_ + 1);
      for_each_version(message.file, range, [&](const BlockKey& key) { here_[key] = last_version_; });
      message.version = last_version_;
    }
    part.done = kernel::max(part.done, use_device(message.file, range, true, now()));
    if (++part.next < part.ranges.size()) continue;
    waiting_.pop_front();
    settle(number);
  }
  drain();
}

void BurstBuffer::begin_read(std::uint32_t number) {
  Part& part = parts_[number];
  Transaction& message = *part.message;
  std::vector<Range> missing;
  for_each_range(message, [&](const Range& range) {
    bytes_.for_each_part(message.file, range, [&](const Range& piece, bool here) {
      (here ? statistics_.burst.hits : statistics_.burst.misses) += piece.bytes;
      if (here)
        part.done = kernel::max(part.done, use_device(message.file, piece, false, now()));
      else
        missing.push_back(piece);
      if (!system_.parameters().caching.versions) return;
      for_each_version(message.file, piece, [&](const BlockKey& key) {
        const auto& known = here ? here_ : there_;
        const auto found = known.find(key);
        if (found != known.end()) message.version = std::max(message.version, found->second);
      });
    });
  });
  if (!missing.empty()) {
    ++part.waits;
    const std::uint32_t below = asked_.take();
    asked_[below] = {Below::Why::read, number, {}, {}};
    ask_below(Operation::read, message.file, missing, below, now());
  }
  settle(number);
}

void BurstBuffer::begin_sync(std::uint32_t number) {
  if (!stages_out()) {
    settle(number);
    return;
  }
  ++statistics_.burst.stage_outs;
  const std::uint32_t file = parts_[number].message->file;
  const auto same = std::find_if(stage_outs_.begin(), stage_outs_.end(),
                                 [file](const StageOut& other) { return other.file == file; });
  if (same == stage_outs_.end())
    stage_outs_.push_back({file, {number}});
  else
    same->parts.push_back(number);
  drain();
  check_stage_outs();
}

/// One of the things that a part waits for is done.
void BurstBuffer::settle(std::uint32_t number) {
  Part& part = parts_[number];
  if (--part.waits > 0) return;
  Transaction* message = std::exchange(part.message, nullptr);
  const SimTime done = part.done;
  part = {};
  parts_.release(number);
  message->kind = static_cast<std::uint16_t>(EventKind::served);
  send(id(), until(done, now()), message);
}

void BurstBuffer::answer(Transaction* message) {
  message->kind = static_cast<std::uint16_t>(EventKind::answer);
  message->list.clear();
  if (system_.node_of(message->client) == node_) {
    send(message->client, until(now(), now()), message);
    return;
  }
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(message->client), answer_size(system_.parameters(), *message), now(), port_);
  send(message->client, until(transit.arrival, now()), message);
}

/// Begins as many drains as may be under way.
void BurstBuffer::drain() {
  begin_drains();
  if (timer_set_) return;
  // What is old enough already waits for drains that are under way, or for their pace.
  for (const auto& [oldest, bytes] : bytes_.dirty_since()) {
    if (oldest.since + burst_.drain_delay <= now()) continue;
    timer_set_ = true;
    send(id(), oldest.since + burst_.drain_delay - now(), make_timer(age));
    return;
  }
}

/// Calls visit(file) for what may drain now, in its order, until it returns true: files that are staged out;
/// any (null), if there is a transfer, or writes wait for room; files with bytes that have been dirty for
/// drain_delay. Whether it did.
template <class Visit>
bool BurstBuffer::find_due(Visit&& visit) const {
  for (const StageOut& stage_out : stage_outs_)
    if (visit(&stage_out.file)) return true;
  if (!waiting_.empty() || bytes_.dirty() >= burst_.transfer) return visit(nullptr);
  for (const auto& [oldest, bytes] : bytes_.dirty_since()) {
    if (oldest.since + burst_.drain_delay > now()) return false;
    if (visit(&oldest.file)) return true;
  }
  return false;
}

bool BurstBuffer::drains_wanted() const {
  return find_due([this](const std::uint32_t* file) {
    return (file == nullptr ? bytes_.dirty() : bytes_.dirty(*file)) > 0;
  });
}

/// Empty if all that is due waits for drains that are under way.
BufferedBytes::Leaving BurstBuffer::next_to_drain() {
  BufferedBytes::Leaving taken;
  find_due([&](const std::uint32_t* file) {
    taken = bytes_.take(burst_.transfer, file);
    return taken.bytes > 0;
  });
  return taken;
}

void BurstBuffer::begin_drains() {
  while (draining_ < burst_.drains && drains_wanted()) {
    if (now() < next_drain_) {
      if (!paced_) send(id(), next_drain_ - now(), make_timer(pace));
      paced_ = true;
      return;
    }
    BufferedBytes::Leaving taken = next_to_drain();
    if (taken.bytes == 0) return;
    const std::uint32_t number = asked_.take();
    Below& below = asked_[number];
    below = {Below::Why::drain, none, std::move(taken), {}};
    const BufferedBytes::Leaving& leaving = below.leaving;
    ++draining_;
    ++drains_of_[leaving.file];
    next_drain_ = now() + burst_.drain_time * kernel::Bytes(leaving.bytes);
    SimTime ready = now();
    for (const Range& range : leaving.ranges) {
      ready = kernel::max(ready, use_device(leaving.file, range, false, now()));
      if (system_.parameters().caching.versions)
        for_each_version(leaving.file, range,
                         [&](const BlockKey& key) { below.versions.emplace_back(key, here_[key]); });
    }
    ask_below(Operation::write, leaving.file, leaving.ranges, number, ready);
  }
}

void BurstBuffer::ask_below(Operation operation, std::uint32_t file, const std::vector<Range>& ranges,
                            std::uint32_t below, SimTime at) {
  TransactionData data{.operation = operation, .file = file};
  data.tag = below + 1;
  if (!ranges.empty()) data.offset = ranges.front().offset;
  for (const Range& range : ranges) data.bytes += range.bytes;
  Transaction* request = make_transaction(data, ranges.size() > 1 ? ranges : std::vector<Range>{});
  request->kind = static_cast<std::uint16_t>(EventKind::request);
  send(below_, until(at, now()), request);
}

/// The file system below has done something.
void BurstBuffer::came_back(Transaction* reply) {
  const std::uint32_t number = reply->tag - 1;
  const Below below = std::move(asked_[number]);
  asked_.release(number);
  if (below.why == Below::Why::drain) {
    bytes_.arrived(below.leaving);
    statistics_.background.add(reply->tally);
    for (const auto& [key, version] : below.versions) there_[key] = version;
    statistics_.burst.drained += below.leaving.bytes;
    --draining_;
    --drains_of_[below.leaving.file];
    admit();
    check_stage_outs();
  } else {
    Part& part = parts_[below.part];
    part.done = kernel::max(part.done, now());
    if (below.why == Below::Why::read)
      part.message->tally.add(reply->tally);
    else if (burst_.place == BurstParameters::Place::local)
      bytes_.forget_clean(part.message->file);
    settle(below.part);
  }
  dispose(reply);
}

/// Stage-outs that have nothing left to drain go on to the file system below, if that has caches.
void BurstBuffer::check_stage_outs() {
  for (std::size_t i = 0; i < stage_outs_.size();) {
    const std::uint32_t file = stage_outs_[i].file;
    if (bytes_.dirty(file) > 0 || drains_of_[file] > 0) {
      ++i;
      continue;
    }
    const std::vector<std::uint32_t> parts = std::move(stage_outs_[i].parts);
    stage_outs_.erase(stage_outs_.begin() + static_cast<std::ptrdiff_t>(i));
    for (const std::uint32_t part : parts) {
      if (system_.parameters().writes_behind()) {
        const std::uint32_t below = asked_.take();
        asked_[below] = {Below::Why::sync, part, {}, {}};
        ask_below(Operation::sync, file, {}, below, now());
        continue;
      }
      if (burst_.place == BurstParameters::Place::local) bytes_.forget_clean(file);
      parts_[part].done = kernel::max(parts_[part].done, now());
      settle(part);
    }
  }
}

/// The device moves bytes that are asked for at `ready`; returns the end.
SimTime BurstBuffer::use_device(std::uint32_t file, const Range& range, bool write, SimTime ready) {
  SimTime start = ready;
  if (ends_.size() == device_.depth()) {
    start = kernel::max(start, ends_.top());
    ends_.pop();
  }
  const disk::Service service = device_.serve(file, range.offset, range.bytes, write, start);
  ends_.push(start + service.time);
  return start + service.time;
}

template <class Visit>
void BurstBuffer::for_each_version(std::uint32_t file, const Range& range, Visit&& visit) const {
  for_each_block(range.offset, range.bytes, system_.parameters().caching.block,
                 [&](std::uint64_t index, const Extent&) { visit(BlockKey{index, file, 0}); });
}

}  // namespace mpisim::pfs
