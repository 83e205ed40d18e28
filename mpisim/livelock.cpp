#include "mpisim/livelock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpisim/handles.hpp"
#include "mpisim/rank.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

constexpr std::uint64_t waits_of_all_ranks = std::uint64_t{1} << 20;
constexpr std::uint64_t fewest_waits = 1 << 10;  // of each

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

bool Rank::stuck() const {
  if (ending_) return false;
  const bool in_poll = waiting_ == Waiting::present || (state() == State::running && polled_);
  if (!in_poll)
    return (state() == State::blocked || state() == State::terminated) && horizon().action.is_infinite();
  if (poll_row_.weight == 0 || !reactions_.empty()) return false;
  bool ahead = false;
  handles_.requests.for_each([&](int, const Request* request) {
    ahead = ahead || (request->active && request->known && request->completion > clock_);
  });
  queues_.for_each([&](const MatchQueue& queue) { ahead = ahead || queue.has_later_than(clock_); });
  return !ahead;
}

SimTime Rank::last_action() const {
  if (state() == State::terminated) return result_.finish;
  return waiting_ == Waiting::present || state() == State::running ? poll_row_.begin : clock_;
}

LivelockWatch::LivelockWatch(World& world)
    : world_(world),
      window_(world.options().livelock_polls),
      weight_of_wait_(std::max<std::uint64_t>(
          1, window_ / std::max(fewest_waits,
                                waits_of_all_ranks / static_cast<std::uint64_t>(world.options().ranks)))) {}

std::string LivelockWatch::report(int rank, const char* call, const std::string& site) {
  return fmt::format(
      "livelock: rank {} polls with {} ({}) and nothing is under way that could end it (should the program "
      "give "
      "up polling by itself, --livelock-polls N waits for longer)\n",
      rank, call, site);
}

LivelockWatch::State LivelockWatch::look(SimTime since) const {
  State state;
  const kernel::Engine& engine = world_.engine();
  state.sent = sum(engine.sent_to()) - words_sent_;
  state.received = sum(engine.received_from()) - words_received_;
  state.stuck = !world_.added_lps_busy() && engine.earliest_staged().is_infinite();
  for (std::size_t i = 0; i < world_.local_ranks() && state.stuck; ++i) {
    Rank& rank = *world_.local_rank(i);
    state.stuck = rank.stuck();
    state.last_action = kernel::max(state.last_action, rank.last_action());
    const PollRow& row = rank.poll_row();
    if (row.weight == 0) continue;
    const std::size_t window = row.first_since(since);
    state.sure = state.sure && window < row.windows.size();
    if (!state.sure) continue;
    const PollRow::Window& found = row.windows[window];
    if (state.rank >= 0 && found.end <= state.time) continue;
    state.time = found.end;
    state.rank = rank.world_rank();
    state.report = report(state.rank, found.call, runtime::describe(found.site));
  }
  return state;
}

void LivelockWatch::suspect() {
  if (world_.engine().host() != 0) {
    kernel::PacketWriter word;
    word.put(Word::suspicion);
    send(0, word);
    return;
  }
  if (round_ != 0) return;
  // The first round finds out when the last action was, the second what follows from it.
  if (!look(SimTime::zero()).stuck) return;
  before_ = State{};
  round_ = 1;
  ask_all();
}

void LivelockWatch::ask_all() {
  all_ = State{};
  all_.stuck = true;
  missing_ = world_.engine().hosts();
  kernel::PacketWriter word;
  word.put(Word::question);
  word.put(before_.last_action);
  for (int host = 1; host < world_.engine().hosts(); ++host) send(host, word);
  take(look(before_.last_action));
}

void LivelockWatch::take(const State& state) {
  all_.stuck = all_.stuck && state.stuck;
  all_.last_action = kernel::max(all_.last_action, state.last_action);
  all_.sent += state.sent;
  all_.received += state.received;
  all_.sure = all_.sure && state.sure;
  const bool later = state.time > all_.time || (state.time == all_.time && state.rank < all_.rank);
  if (state.rank >= 0 && (all_.rank < 0 || later)) {
    all_.time = state.time;
    all_.rank = state.rank;
    all_.report = state.report;
  }
  if (--missing_ == 0) judge();
}

void LivelockWatch::judge() {
  const int round = std::exchange(round_, 0);
  if (!all_.stuck || all_.sent != all_.received) return;
  if (round == 1) {
    before_ = all_;
    round_ = 2;
    ask_all();
    return;
  }
  const bool still = all_.last_action == before_.last_action && all_.sent == before_.sent;
  if (!still || !all_.sure || all_.rank < 0 || world_.engine().stopped()) return;
  world_.record_ending({all_.time, all_.rank, End::livelock, livelock_status, all_.report});
  world_.engine().stop();
}

void LivelockWatch::send(int host, const kernel::PacketWriter& word) {
  kernel::PacketWriter packet = word;
  Message* message = Message::make(MessageKind::livelock);
  // Outside of simulated time: nobody waits for it.
  message->key = world_.outside_key();
  message->destination = world_.exchange_lp(host);
  message->source = world_.engine().host();
  message->bytes = packet.buffer().size();
  message->payload = packet.buffer().data();
  ++words_sent_;
  world_.engine().send(message);
}

void LivelockWatch::deliver(Message& message) {
  ++words_received_;
  kernel::PacketReader in({message.payload, message.bytes});
  switch (in.get<Word>()) {
    case Word::suspicion:
      suspect();
      break;
    case Word::question: {
      const State state = look(in.get<SimTime>());
      kernel::PacketWriter word;
      word.put(Word::answer);
      word.put(state.stuck);
      word.put(state.last_action);
      word.put(state.sent);
      word.put(state.received);
      word.put(state.time);
      word.put(state.rank);
      word.put(state.sure);
      word.put_text(state.report);
      send(0, word);
      break;
    }
    case Word::answer: {
      State state;
      state.stuck = in.get<bool>();
      state.last_action = in.get<SimTime>();
      state.sent = in.get<std::uint64_t>();
      state.received = in.get<std::uint64_t>();
      state.time = in.get<SimTime>();
      state.rank = in.get<int>();
      state.sure = in.get<bool>();
      state.report = in.get_text();
      take(state);
      break;
    }
  }
  Message::dispose(&message);
}

}  // namespace mpisim::mpi
