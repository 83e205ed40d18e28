#include "mpisim/output_merge.hpp"

#include <utility>

namespace mpisim::mpi {

using kernel::PacketReader;
using kernel::PacketWriter;
using kernel::SimTime;

namespace {
constexpr std::size_t part_bytes = std::size_t{256} << 10;
}

OutputMerge::OutputMerge(kernel::Engine& engine, Options options)
    : engine_(engine), options_(std::move(options)), store_(options_.memory) {
  if (engine_.hosts() == 1) return;
  peers_.resize(static_cast<std::size_t>(engine_.hosts()));
  engine_.on_aside([this](int source, PacketReader& in) { on_word(source, in); });
  if (engine_.host() == 0) engine_.on_poll([this] { tick(); });
}

void OutputMerge::add(OutputRecord record) {
  store_.add(std::move(record));
  if (engine_.hosts() > 1) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::duration<double>(options_.seconds_between)) return;
  last_ = now;
  write_before(options_.settled());
  flush();
}

void OutputMerge::write(const OutputRecord& record) {
  if (options_.sink != nullptr) options_.sink->write(record.fd, record.text);
}

void OutputMerge::flush() {
  if (options_.sink != nullptr) options_.sink->flush();
}

void OutputMerge::write_before(SimTime time) {
  while (store_.first_time() < time) write(store_.take());
}

void OutputMerge::write_own() {
  for (const Peer& peer : peers_)
    for (std::size_t i = peer.next; i < peer.records.size(); ++i) write(peer.records[i]);
  peers_.clear();
  for (const OutputRecord& record : handed_over_) write(record);
  handed_over_.clear();
  while (!store_.empty()) write(store_.take());
}

void OutputMerge::tick() {
  if (stage_ != Stage::idle || ended_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::duration<double>(options_.seconds_between)) return;
  last_ = now;
  ask();
}

void OutputMerge::ask() {
  stage_ = Stage::asking;
  limit_ = options_.settled();
  missing_ = engine_.hosts() - 1;
  PacketWriter word;
  word.put(Word::question);
  for (int host = 1; host < engine_.hosts(); ++host) engine_.send_aside(host, word);
}

void OutputMerge::begin_merge(SimTime limit) {
  stage_ = Stage::merging;
  limit_ = limit;
  for (int host = 1; host < engine_.hosts(); ++host) fetch(host);
}

void OutputMerge::fetch(int host) {
  Peer& peer = peers_[static_cast<std::size_t>(host)];
  peer = Peer{};
  peer.more = peer.asked = true;
  PacketWriter word;
  word.put(Word::fetch);
  word.put(limit_);
  engine_.send_aside(host, word);
}

// Writes as long as it is known what comes next.
void OutputMerge::merge() {
  for (;;) {
    Peer* first = nullptr;
    const OutputRecord* record = store_.first_time() < limit_ ? &store_.first() : nullptr;
    for (std::size_t host = 1; host < peers_.size(); ++host) {
      Peer& peer = peers_[host];
      if (peer.asked) return;
      if (peer.next == peer.records.size()) {
        if (!peer.more) continue;
        flush();  // the host forgets its last part when it is asked for the next
        fetch(static_cast<int>(host));
        return;
      }
      const OutputRecord& head = peer.records[peer.next];
      if (record != nullptr && !(head < *record)) continue;
      record = &head;
      first = &peer;
    }
    if (record == nullptr) break;
    if (first == nullptr) {
      write(store_.take());
    } else {
      write(*record);
      ++first->next;
    }
  }
  stage_ = Stage::idle;
  flush();
  PacketWriter word;
  word.put(Word::written);
  for (int host = 1; host < engine_.hosts(); ++host) {
    Peer& peer = peers_[static_cast<std::size_t>(host)];
    if (!peer.records.empty()) engine_.send_aside(host, word);
    peer = Peer{};
  }
}

void OutputMerge::send_part(SimTime limit) {
  handed_over_.clear();  // what was fetched before has been written
  std::size_t bytes = 0;
  while (bytes < part_bytes && store_.first_time() < limit) {
    handed_over_.push_back(store_.take());
    bytes += handed_over_.back().text.size() + sizeof(OutputRecord);
  }
  PacketWriter word;
  word.put(Word::part);
  word.put(store_.first_time() < limit);
  word.put(static_cast<std::uint64_t>(handed_over_.size()));
  for (const OutputRecord& record : handed_over_) record.pack(word);
  engine_.send_aside(0, word);
}

void OutputMerge::on_word(int source, PacketReader& in) {
  switch (in.get<Word>()) {
    case Word::question: {
      PacketWriter word;
      word.put(Word::bound);
      word.put(options_.settled());
      engine_.send_aside(0, word);
      return;
    }
    case Word::bound:
      limit_ = kernel::min(limit_, in.get<SimTime>());
      if (--missing_ == 0) begin_merge(limit_);
      return;
    case Word::fetch:
      send_part(in.get<SimTime>());
      return;
    case Word::part: {
      Peer& peer = peers_[static_cast<std::size_t>(source)];
      peer.asked = false;
      peer.more = in.get<bool>();
      peer.next = 0;
      peer.records.clear();
      for (auto left = in.get<std::uint64_t>(); left > 0; --left)
        peer.records.push_back(OutputRecord::unpack(in));
      merge();
      return;
    }
    case Word::written:
      handed_over_.clear();
      return;
    case Word::end:
      ended_ = true;
      return;
  }
}

void OutputMerge::wait_for(const std::function<bool()>& done) {
  const auto ignore = [](int, PacketReader&) {};
  while (!done()) {
    if (!engine_.poll_transport(ignore) && !done()) engine_.transport()->wait();
  }
}

void OutputMerge::finish(SimTime limit) {
  if (engine_.hosts() == 1) {
    write_before(limit);
    return;
  }
  if (engine_.host() != 0) {
    wait_for([this] { return ended_; });
    return;
  }
  ended_ = true;  // no more questions
  wait_for([this] { return stage_ == Stage::idle; });
  begin_merge(limit);
  wait_for([this] { return stage_ == Stage::idle; });
  PacketWriter word;
  word.put(Word::end);
  for (int host = 1; host < engine_.hosts(); ++host) engine_.send_aside(host, word);
}

}  // namespace mpisim::mpi
