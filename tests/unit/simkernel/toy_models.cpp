#include "toy_models.hpp"
#include "simkernel/protocols.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "simkernel/in_process_transport.hpp"

namespace mpisim::kernel::toys {

namespace {
std::atomic<std::int64_t> alive{0};
}

std::uint64_t Random::below(std::uint64_t bound) {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % bound;
}

NumberEvent* make_number(std::uint64_t number) {
  ++alive;
  auto* event = new NumberEvent;
  event->kind = number_kind;
  event->number = number;
  return event;
}

std::int64_t numbers_alive() {
  return alive;
}

void free_number(Event* event) {
  --alive;
  delete static_cast<NumberEvent*>(event);
}

void NumberCodec::encode(const Event& event, PacketWriter& out) const {
  out.put(static_cast<const NumberEvent&>(event).number);
}

Event* NumberCodec::decode(PacketReader& in) const {
  return make_number(in.get<std::uint64_t>());
}

void Phold::start(int count) {
  for (int i = 0; i < count; ++i)
    send(id(), SimTime::picoseconds(1 + static_cast<std::int64_t>(random_.below(5'000))), make_number(id()));
}

void Phold::handle(Event* event) {
  const auto number = static_cast<NumberEvent*>(event)->number;
  trace_.push_back({now(), event->key, number});
  free_number(event);
  if (now() >= end_) return;
  const SimTime lookahead = engine().options().lookahead;
  const auto extra = SimTime::picoseconds(static_cast<std::int64_t>(random_.below(4) * random_.below(2'000)));
  if (random_.below(5) == 0) {
    send(id(), SimTime::picoseconds(1) + extra, make_number(number + 1));
  } else {
    const auto to = static_cast<LpId>(random_.below(lps_));
    send(to, lookahead + extra, make_number(number * 31 + random_.below(1000)));
  }
}

Actor::~Actor() {
  for (Event* event : mailbox_) free_number(event);
}

void Actor::deliver(Event* event) {
  mailbox_.insert(event);
  switch (waiting_) {
    case Waiting::named:
      if (event->key.source == named_) make_ready();
      return;
    case Waiting::any:
      horizon_changed();
      return;
    default:
      return;
  }
}

Horizon Actor::horizon() const {
  switch (waiting_) {
    case Waiting::any: {
      if (mailbox_.empty()) return {};
      const SimTime first = (*mailbox_.begin())->key.time;
      return {first, max(first, clock_)};
    }
    case Waiting::instant:
      return {clock_, clock_};
    default:
      return {};
  }
}

void Actor::advance(SimTime eit) {
  const Horizon wanted = horizon();
  if (wanted.question < eit) make_ready();
}

void Actor::send(LpId destination, SimTime delay, std::uint64_t number) {
  clock_ += call_cost;
  NumberEvent* event = make_number(number);
  event->key = {clock_ + delay, id(), next_sequence()};
  event->destination = destination;
  engine().send(event);
}

void Actor::wait(Waiting what) {
  waiting_ = what;
  block();
  waiting_ = Waiting::no;
}

std::set<Event*, Actor::ByKey>::iterator Actor::next_of(LpId source) {
  // In the order in which the source sent them, whatever their receive times.
  auto best = mailbox_.end();
  for (auto it = mailbox_.begin(); it != mailbox_.end(); ++it) {
    if ((*it)->key.source != source) continue;
    if (best == mailbox_.end() || (*it)->key.sequence < (*best)->key.sequence) best = it;
  }
  return best;
}

std::uint64_t Actor::take(std::set<Event*, ByKey>::iterator place) {
  Event* event = *place;
  mailbox_.erase(place);
  clock_ = max(clock_, event->key.time);
  const auto number = static_cast<NumberEvent*>(event)->number;
  trace_.push_back({clock_, event->key, number});
  free_number(event);
  return number;
}

std::uint64_t Actor::receive_from(LpId source) {
  clock_ += call_cost;
  named_ = source;
  while (next_of(source) == mailbox_.end()) wait(Waiting::named);
  return take(next_of(source));
}

std::uint64_t Actor::receive_any() {
  clock_ += call_cost;
  wait(Waiting::any);
  return take(mailbox_.begin());
}

bool Actor::poll() {
  clock_ += call_cost;
  wait(Waiting::instant);
  const bool there = !mailbox_.empty() && (*mailbox_.begin())->key.time <= clock_;
  if (there) {
    take(mailbox_.begin());
  } else {
    trace_.push_back({clock_, {}, 0});
  }
  return there;
}

void Actor::wait_until_safe() {
  wait(Waiting::instant);
}

Program phold(LpId lps, SimTime lookahead, SimTime end, int events_per_lp) {
  return {lps, lookahead, [=](Engine& engine, LpId id, Trace& trace) {
            auto lp = std::make_unique<Phold>(engine, id, lps, end, trace);
            engine.add(*lp);
            lp->start(events_per_lp);
            return lp;
          }};
}

Program scripts(LpId lps, SimTime lookahead, std::function<void(Script&)> body) {
  return {lps, lookahead, [=](Engine& engine, LpId id, Trace& trace) {
            auto lp = std::make_unique<Script>(engine, id, trace, body);
            engine.add(*lp);
            return lp;
          }};
}

Program random_actors(LpId lps, SimTime lookahead, std::uint64_t seed, int steps) {
  return scripts(lps, lookahead, [=](Script& self) {
    Random random(seed * 1000 + self.id());
    for (int step = 0; step < steps; ++step) {
      const auto peer = static_cast<LpId>(random.below(lps));
      const auto time = SimTime::picoseconds(static_cast<std::int64_t>(random.below(20'000)));
      switch (random.below(16)) {
        case 0:
          self.receive_from(peer);
          break;
        case 1:
        case 2:
        case 3:
          self.receive_any();
          break;
        case 4:
        case 5:
          while (!self.poll() && self.now() < SimTime::picoseconds(150'000)) self.compute(time);
          break;
        case 6:
        case 7:
          self.compute(time);
          break;
        default:
          if (peer != self.id()) self.send(peer, lookahead + time, random.below(1'000'000));
      }
    }
  });
}

Program mixed(LpId lps, SimTime lookahead, std::uint64_t seed) {
  // A server answers whoever asked, after a service time that depends on the order of the requests.
  class Server final : public ComponentLp {
   public:
    Server(Engine& engine, LpId id, Trace& trace) : ComponentLp(engine, id), trace_(trace) {}

   protected:
    void handle(Event* event) override {
      trace_.push_back({now(), event->key, static_cast<NumberEvent*>(event)->number});
      const LpId asker = event->key.source;
      free_number(event);
      free_at_ = max(free_at_, now()) + SimTime::picoseconds(700);
      send(asker, engine().options().lookahead + (free_at_ - now()), make_number(++served_));
    }

   private:
    Trace& trace_;
    SimTime free_at_;
    std::uint64_t served_ = 0;
  };
  return {lps, lookahead, [=](Engine& engine, LpId id, Trace& trace) -> std::unique_ptr<LogicalProcess> {
            const LpId servers = std::max<LpId>(1, lps / 4);
            if (id < servers) {
              auto server = std::make_unique<Server>(engine, id, trace);
              engine.add(*server);
              return server;
            }
            auto lp = std::make_unique<Script>(engine, id, trace, [=](Script& self) {
              Random random(seed * 77 + self.id());
              for (int step = 0; step < 12; ++step) {
                const auto first = static_cast<LpId>(random.below(servers));
                const auto second = static_cast<LpId>(random.below(servers));
                self.compute(SimTime::picoseconds(static_cast<std::int64_t>(random.below(3'000))));
                self.send(first, lookahead, random.below(100));
                self.send(second, lookahead, random.below(100));
                if (random.below(2) == 0) {
                  self.receive_any();
                  self.receive_any();
                } else {
                  self.receive_from(first);
                  self.receive_from(second);
                }
              }
            });
            engine.add(*lp);
            return lp;
          }};
}

Program clients(LpId groups, SimTime lookahead, std::uint64_t seed) {
  static constexpr LpId group = 4;
  static constexpr SimTime close = SimTime::picoseconds(1'500);
  // Forwards what its actors ask to the server of any group, and the answers back.
  class Client final : public ComponentLp {
   public:
    Client(Engine& engine, LpId id, LpId groups, SimTime lookahead, Trace& trace)
        : ComponentLp(engine, id), groups_(groups), lookahead_(lookahead), trace_(trace) {
      make_immediate();
    }

   protected:
    void handle(Event* event) override {
      const auto number = static_cast<NumberEvent*>(event)->number;
      const LpId source = event->key.source;
      trace_.push_back({now(), event->key, number});
      free_number(event);
      const bool asked = source / group == id() / group && source % group != group - 1;
      if (!asked) {
        send(static_cast<LpId>(number % 1000), SimTime::picoseconds(1), make_number(number));
        return;
      }
      const LpId server = static_cast<LpId>(number % groups_) * group + group - 1;
      const bool here = server / group == id() / group;
      send(server, here ? SimTime::picoseconds(1) : lookahead_, make_number(++asked_ * 1000 + source));
    }

   private:
    LpId groups_;
    SimTime lookahead_;
    Trace& trace_;
    std::uint64_t asked_ = 0;
  };
  class Server final : public ComponentLp {
   public:
    Server(Engine& engine, LpId id, SimTime lookahead, Trace& trace)
        : ComponentLp(engine, id), lookahead_(lookahead), trace_(trace) {
      make_immediate();
    }

   protected:
    void handle(Event* event) override {
      const auto number = static_cast<NumberEvent*>(event)->number;
      const LpId asker = event->key.source;
      trace_.push_back({now(), event->key, number});
      free_number(event);
      free_at_ = max(free_at_, now()) + SimTime::picoseconds(700);
      const SimTime way = asker / group == id() / group ? SimTime::picoseconds(1) : lookahead_;
      send(asker, way + (free_at_ - now()), make_number(number));
    }

   private:
    SimTime lookahead_;
    Trace& trace_;
    SimTime free_at_;
  };
  Program program{groups * group, lookahead, {}, group, close};
  program.make = [=](Engine& engine, LpId id, Trace& trace) -> std::unique_ptr<LogicalProcess> {
    std::unique_ptr<LogicalProcess> lp;
    if (id % group == 0) {
      lp = std::make_unique<Client>(engine, id, groups, lookahead, trace);
    } else if (id % group == group - 1) {
      lp = std::make_unique<Server>(engine, id, lookahead, trace);
    } else {
      lp = std::make_unique<Script>(engine, id, trace, [=](Script& self) {
        Random random(seed * 99 + self.id());
        const LpId client = self.id() - self.id() % group;
        for (int step = 0; step < 12; ++step) {
          self.compute(SimTime::picoseconds(static_cast<std::int64_t>(random.below(3'000))));
          self.send(client, close, random.below(100));
          self.receive_from(client);
        }
      });
    }
    engine.add(*lp);
    return lp;
  };
  return program;
}

namespace {

constexpr std::size_t stack_size = 256 << 10;

/// Makes the LPs of this host, runs, and leaves the traces in `traces`.
Outcome run_host(const Program& program, Engine& engine, const std::vector<std::uint16_t>& host_of,
                 Protocol& protocol, std::vector<Trace>& traces) {
  engine.register_codec(number_kind, std::make_unique<NumberCodec>());
  engine.place(host_of);
  StackArena stacks(program.lps, stack_size);
  std::vector<std::unique_ptr<LogicalProcess>> lps;
  for (LpId id = 0; id < program.lps; ++id) {
    if (host_of[id] != engine.host()) continue;
    lps.push_back(program.make(engine, id, traces[id]));
    if (auto* process = dynamic_cast<ProcessLp*>(lps.back().get())) process->prepare(stacks.stack(id));
  }
  return engine.run(protocol);
}

}  // namespace

Result run_sequentially(const Program& program, ArrivalOrder* record) {
  Result result;
  result.traces.resize(program.lps);
  Engine engine({.lookahead = program.lookahead, .local_lookahead = program.local_lookahead}, nullptr);
  ArrivalRecorder recorder(program.lps);
  if (record != nullptr) engine.observe_arrivals(&recorder);
  const auto protocol = make_protocol("sequential", 1);
  result.outcome =
      run_host(program, engine, std::vector<std::uint16_t>(program.lps, 0), *protocol, result.traces);
  result.statistics = engine.statistics();
  if (record != nullptr) {
    *record = std::move(recorder.order());
    record->sort();
  }
  return result;
}

namespace {

/// Another transport with given answers instead of drawn ones.
class HabitualTransport final : public Transport {
 public:
  HabitualTransport(Transport& other, RunOptions::Habits& habits) : other_(other), habits_(habits) {}
  int host() const override { return other_.host(); }
  int hosts() const override { return other_.hosts(); }
  void send(int host, std::vector<std::byte> data) override {
    if (other_.host() == 0) ++habits_.packets;
    other_.send(host, std::move(data));
  }
  bool receive(Packet& packet) override { return other_.receive(packet); }
  void wait() override { other_.wait(); }
  bool rests_next() const override { return habits_.rests_next; }
  bool starves(int) const override { return habits_.starves; }
  [[noreturn]] void abort(int) override { throw std::runtime_error("toys do not abort"); }

 private:
  Transport& other_;
  RunOptions::Habits& habits_;
};

}  // namespace

Result run_under(std::string_view name, const Program& program, const RunOptions& options) {
  Result result;
  result.traces.resize(program.lps);
  std::vector<std::uint16_t> host_of(program.lps);
  for (LpId id = 0; id < program.lps; ++id) {
    const auto count = static_cast<LpId>(options.hosts);
    const LpId group = id / program.group;
    const LpId groups = (program.lps + program.group - 1) / program.group;
    host_of[id] = static_cast<std::uint16_t>(options.round_robin ? group % count : group * count / groups);
  }
  std::vector<Outcome> outcomes(static_cast<std::size_t>(options.hosts));
  run_in_process(options.hosts, options.seed, [&](Transport& drawn) {
    std::optional<HabitualTransport> habitual;
    if (options.habits != nullptr) habitual.emplace(drawn, *options.habits);
    Transport& transport = habitual ? *habitual : drawn;
    Engine engine(
        {.lookahead = program.lookahead, .local_lookahead = program.local_lookahead, .exact = options.exact},
        &transport);
    engine.on_undetermined([](LogicalProcess&) { return false; });
    const auto protocol = make_protocol(name, options.hosts, options.protocol);
    LoadRecorder recorder(program.lps, program.lps);
    if (options.profile != nullptr) engine.record_load(&recorder);
    outcomes[static_cast<std::size_t>(transport.host())] =
        run_host(program, engine, host_of, *protocol, result.traces);
    if (options.profile != nullptr) options.profile->add(recorder.profile());  // one thread runs at a time
    if (transport.host() == 0) result.statistics = engine.statistics();
  });
  result.outcome = outcomes[0];
  for (const Outcome outcome : outcomes) {
    if (outcome != outcomes[0]) throw std::runtime_error("hosts end with different outcomes");
  }
  return result;
}

Result run_conditionally(const Program& program, int hosts, std::uint64_t seed, bool round_robin) {
  return run_under("conditional", program, {.hosts = hosts, .seed = seed, .round_robin = round_robin});
}

}  // namespace mpisim::kernel::toys
