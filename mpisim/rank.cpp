#include "mpisim/rank.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "mpisim/collective_stamp.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"
#include "mpisim/processor_stopwatch.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

/// A call site as its offset in its module: the same in every run of a program, wherever it is loaded.
std::uint64_t call_site_key(const void* site) {
  Dl_info info{};
  if (site == nullptr || dladdr(site, &info) == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(site) -
                                    static_cast<std::byte*>(info.dli_fbase));
}

}  // namespace

namespace detail {
__thread Rank* running_rank = nullptr;
}

RankHandles& handles() {
  return current_rank().handles();
}

namespace {

ContextId context_of_world(const World& world, core::Plane plane) {
  return world.world_communicator()->context << 1U | static_cast<ContextId>(plane);
}

}  // namespace

Rank::Rank(World& world, int world_rank, const kernel::Stack& stack, std::uintptr_t segment_base)
    : ProcessLp(world.engine(), static_cast<kernel::LpId>(world_rank)),
      world_(world),
      rules_{world.engine().options().deterministic, world.options().cancels},
      node_(world.node_of(world_rank)),
      queues_(context_of_world(world, core::Plane::user), context_of_world(world, core::Plane::collective),
              world.options().promises),
      environment_(*this, segment_base),
      handles_(world_rank, world.world_communicator()) {
  fiber_.set_segment_base(segment_base);
  prepare(stack);
}

Rank::~Rank() {
  if (answer_ != nullptr) engine().discard(answer_);
  for (const Withdrawal& withdrawal : withdrawals_) engine().discard(withdrawal.cancel);
  if (!strands_) return;
  for (const auto& [number, strand] : strands_->live)
    if (strand->answer != nullptr) engine().discard(strand->answer);
}

void Rank::activate() {
  detail::running_rank = this;
  runtime::set_current_environment(&environment_);
}

void Rank::run() {
  activate();
  mark_compute();
  const WorldOptions& options = world_.options();
  if (options.body) {
    environment_.exit(options.body(world_rank()));
  }
  // Programs reorder and change their arguments, so every rank has its own, on its own stack.
  std::size_t characters = 0;
  for (const std::string& argument : options.arguments) characters += argument.size() + 1;
  const std::size_t count = options.arguments.size();
  auto** argv = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  auto* text = static_cast<char*>(__builtin_alloca(characters + 1));
  for (std::size_t i = 0; i < count; ++i) {
    argv[i] = text;
    std::memcpy(text, options.arguments[i].c_str(), options.arguments[i].size() + 1);
    text += options.arguments[i].size() + 1;
  }
  argv[count] = nullptr;
  environment_.exit(options.user_main(static_cast<int>(count), argv, options.environment));
}

void Rank::end_rank(int status) {
  if (call_depth_ > 0) leave_call();
  take_compute(nullptr);
  result_.finish = clock_;
  result_.exit_status = status;
  result_.ended = true;
  if (initialized && !finalized) {
    world_.add_warning(world_rank(), "", fmt::format(" ended with status {} without MPI_Finalize", status));
  }
  waiting_ = Waiting::nothing;
  progress_after_end();
  terminate();
}

void Rank::refuse(const std::string& message) {
  take_compute(nullptr);
  end_world(End::abort, 2, message);
}

// --- calls ---

CallScope::CallScope(const char* name, CallKind kind, const void* return_address) : rank_(current_rank()) {
  rank_.enter_call(name, kind, return_address);
}

CallScope::~CallScope() {
  rank_.leave_call();
}

inline void Rank::enter_call(const char* name, CallKind kind, const void* return_address) {
  // User callbacks (reduction operations, attribute copiers) may call MPI again: the outer call goes on being
  // charged.
  if (call_depth_++ > 0) return;
  if (world_.options().compute != ComputeMode::off) take_compute(return_address);
  call_name_ = name;
  call_site_ = return_address;
  call_kind_ = kind;
  call_start_ = clock_;
  if (!may_call_ && kind != CallKind::clock) check_phase();
  if (!reactions_.empty()) {
    progress_at_entry();
    run_due_strands();
  }
  clock_ += world_.options().config.call_overhead;
  polled_ = false;
  if (kind == CallKind::clock) clock_read();
}

void Rank::check_phase() {
  if (world_.options().user_main == nullptr) return;  // ranks of tests are born initialised
  const std::string_view name = call_name_;
  // MPI-3.1 section 8.7, and what Open MPI allows beyond it.
  for (const std::string_view always :
       {"MPI_Init", "MPI_Init_thread", "MPI_Initialized", "MPI_Finalized", "MPI_Get_version",
        "MPI_Get_library_version", "MPI_Error_class", "MPI_Error_string", "MPI_Abort"}) {
    if (name == always) return;
  }
  fatal(MPI_ERR_OTHER, initialized ? "called after MPI_Finalize" : "called before MPI_Init");
}

void Rank::leave_call() {
  if (--call_depth_ > 0) return;
  result_.in_calls[static_cast<std::size_t>(call_kind_)] += clock_ - call_start_;
  if (world_.options().config.progress == Progress::in_calls) {
    remember_call();
    run_due_strands();
  }
  if (!polled_) end_poll_row();
  if (call_kind_ != CallKind::clock) clock_reads_ = 0;
  mark_compute();
}

void Rank::mark_compute() {
  if (world_.options().compute == ComputeMode::measured) cpu_mark_ = stopwatch_mark();
}

void Rank::take_compute(const void* site) {
  const WorldOptions& options = world_.options();
  SimTime duration;
  switch (options.compute) {
    case ComputeMode::counted:
      duration = SimTime::picoseconds(static_cast<std::int64_t>(environment_.take_counted()));
      break;
    case ComputeMode::measured: {
      const double picoseconds = stopwatch_nanoseconds(cpu_mark_) * options.measured_scale;
      duration = SimTime::picoseconds(static_cast<std::int64_t>(picoseconds));
      if (!options.record_file.empty()) world_.record().add(world_rank(), call_site_key(site), duration);
      break;
    }
    case ComputeMode::recorded: {
      if (!visits_) visits_ = std::make_unique<std::unordered_map<std::uint64_t, std::uint32_t>>();
      const std::uint64_t key = call_site_key(site);
      duration = world_.record().find(world_rank(), key, (*visits_)[key]++);
      break;
    }
    case ComputeMode::off:
      break;
  }
  if (duration > SimTime::zero()) charge_compute(duration);
}

void Rank::charge_compute(SimTime duration) {
  clock_ += duration;
  result_.compute += duration;
  computed_ = true;
  if (duration > world_.options().config.poll_interval) {
    in_poll_row_ = false;
    clock_reads_ = 0;
  }
}

// --- RankServices ---

std::string Rank::node_name() const {
  const auto& name = world_.options().node_name;
  return name ? name(node_) : fmt::format("node{}", node_);
}

SimTime Rank::read_clock() {
  if (call_depth_ > 0) return clock_;  // from a user callback inside a call
  enter_call("clock", CallKind::clock, __builtin_return_address(0));
  leave_call();
  return clock_;
}

void Rank::sleep(SimTime duration) {
  take_compute(__builtin_return_address(0));
  end_poll_row();
  clock_reads_ = 0;
  clock_ += duration;
  result_.asleep += duration;
  mark_compute();
}

void Rank::write_output(int fd, const char* data, std::size_t size) {
  if (call_depth_ == 0) {
    take_compute(__builtin_return_address(0));
    mark_compute();
  }
  world_.output(clock_, world_rank(), output_sequence_++, fd, std::string_view(data, size));
}

// From a callback inside an MPI call, files are part of that call.
bool Rank::begin_file_use() {
  const auto& files = world_.extension();
  if (!files || !files->charges_files()) return false;
  if (call_depth_ == 0) take_compute(__builtin_return_address(0));
  file_use_start_ = clock_;
  return true;
}

void Rank::charge_file_use(const runtime::FileUse& use) {
  world_.extension()->charge_file_use(use);
}

void Rank::settle_files() {
  if (const auto& files = world_.extension()) files->settle_files();
}

void Rank::end_file_use() {
  if (call_depth_ > 0) return;
  const SimTime duration = clock_ - file_use_start_;
  result_.in_calls[static_cast<std::size_t>(CallKind::input_output)] += duration;
  if (duration > SimTime::zero()) end_poll_row();
  mark_compute();
}

// --- blocking ---

void Rank::block_here(Waiting waiting) {
  waiting_ = waiting;
  for (woken_ = false;;) {
    run_due_strands();
    if (woken_) break;
    block();
    activate();
  }
  waiting_ = Waiting::nothing;
}

void Rank::let_others_run() {
  yield();
  activate();
}

void Rank::take_compute_time() {
  if (call_depth_ > 0) return;
  take_compute(__builtin_return_address(0));
  mark_compute();
}

bool Rank::let_others_go_on() {
  if (in_strand()) return false;
  const std::uint64_t resumed = engine().statistics().resumes;
  const std::uint64_t looked = engine().looks_outside();
  const Waiting before = std::exchange(waiting_, Waiting::outside);
  wait_outside();
  waiting_ = before;
  activate();
  mark_compute();
  return engine().statistics().resumes - resumed > engine().looks_outside() - looked;
}

void Rank::ask_present() {
  if (eit_ <= clock_) block_here(Waiting::present);
  if (world_.options().cancels) resolve_all();
  if (!reactions_.empty()) progress_below(clock_ + SimTime::picoseconds(1));
  run_due_strands();
}

void Rank::block_for_exchange() {
  block_here(Waiting::exchange);
}

void Rank::resume_after_exchange() {
  promise_now();
  wake();
}

kernel::Event* Rank::ask(kernel::LpId lp, SimTime delay, kernel::Event* question) {
  tell(lp, delay, question);
  if (in_strand()) return ask_in_strand(*strands_->running);
  block_here(Waiting::answer);
  clock_ = kernel::max(clock_, answer_->key.time);
  return std::exchange(answer_, nullptr);
}

void Rank::tell(kernel::LpId lp, SimTime delay, kernel::Event* message) {
  message->key = next_key(clock_ + delay);
  message->destination = lp;
  engine().send(message);
}

void Rank::react(kernel::LpId lp, SimTime at, kernel::Event* message) {
  constexpr std::uint64_t reactions = std::uint64_t{1} << 63;
  message->key = {at, id(), reactions | ++reaction_sequence_};
  message->destination = lp;
  engine().send(message);
}

kernel::Horizon Rank::horizon() const {
  kernel::Horizon smallest;
  const auto consider = [&smallest](SimTime question, SimTime action) {
    smallest.question = kernel::min(smallest.question, question);
    smallest.action = kernel::min(smallest.action, action);
  };
  const SimTime delay = delay_to_send();
  if (ending_) {
    const SimTime safe = safe_to_end();
    consider(safe, safe);
  }
  // What an exchange waits for is on its way outside of simulated time: nothing else is decided until it is
  // here.
  if (waiting_ == Waiting::exchange) return smallest;
  // A rank that has ended may have left receives posted, whose senders wait to be answered.
  queues_.for_each([&](const MatchQueue& queue) {
    if (!queue.undecided(rules())) return;
    const kernel::Horizon h = queue.horizon(rules());
    consider(h.question, h.action + delay);
  });
  if (!withdrawals_.empty()) consider(next_withdrawal(), next_withdrawal());
  if (state() == State::terminated) return smallest;
  // One that waits outside goes on by itself, whatever is decided; but it is not later than its clock.
  if (waiting_ == Waiting::present || waiting_ == Waiting::outside) consider(clock_, clock_ + delay);
  if (waiting_ == Waiting::any) {
    const SimTime first = earliest_known();
    if (!first.is_infinite()) consider(first, kernel::max(first, clock_) + delay);
  }
  if (inside_call())
    for (const Reaction& reaction : reactions_) consider(reaction.time, reaction.time);
  return smallest;
}

bool Rank::only_ends() const {
  return ending_ && horizon().action >= safe_to_end();
}

SimTime Rank::safe_to_end() const {
  return ending_->time + world_.send_delays().longest() + engine().options().lookahead;
}

// The library answers a matched envelope at once; every other message costs the send overhead first.
SimTime Rank::delay_to_send() const {
  if (owed_ > 0) return SimTime::zero();
  const World::SendDelays& delays = world_.send_delays();
  const bool receives =
      waiting_ == Waiting::all && any_.size() == 1 && any_.front()->kind == Request::Kind::receive;
  return receives ? delays.longest() : delays.send;
}

SimTime Rank::certain_below() const {
  if (state() == State::terminated) return eit_;
  SimTime goes_on = clock_;
  if (state() == State::blocked) {
    // What an awaited request still lacks is not here, so it comes at the EIT or later.
    if (waiting_ == Waiting::all || waiting_ == Waiting::answer || waiting_ == Waiting::ending) return eit_;
    if (waiting_ == Waiting::any) {
      const SimTime first = earliest_known();
      if (first.is_infinite()) return eit_;
      goes_on = kernel::max(first, clock_);
    }
  }
  return kernel::min(eit_, goes_on + SimTime::picoseconds(1));
}

void Rank::resolve_all() {
  // A decision adds no queue: that happens when a message or receive of a new communicator comes.
  const auto resolve_below = [this](SimTime limit) {
    queues_.for_each([&](MatchQueue& queue) {
      if (queue.undecided(rules())) queue.resolve(limit, rules(), *this);
    });
  };
  if (!world_.options().cancels) {
    resolve_below(eit_);
    return;
  }
  // One decision may let the rank go on and cancel a receive before the next would fall. What is cancelled
  // and matched at the same instant is cancelled.
  for (;;) {
    SimTime next = SimTime::infinity();
    queues_.for_each(
        [&](const MatchQueue& queue) { next = kernel::min(next, queue.horizon(rules()).question); });
    const SimTime certain = certain_below();
    const SimTime withdrawal = next_withdrawal();
    if (withdrawal <= next && withdrawal < certain) {
      withdraw_next();
      continue;
    }
    if (next >= certain) {
      resolve_below(kernel::min(certain, next));
      return;
    }
    resolve_below(next + SimTime::picoseconds(1));
  }
}

void Rank::advance(SimTime eit) {
  if (eit > eit_) eit_ = eit;
  resolve_all();
  if (!reactions_.empty() && inside_call()) progress_certain();
  if (ending_ && safe_to_end() < eit_) {
    world_.record_ending(std::move(*ending_));
    ending_.reset();
    engine().stop();
    return;
  }
  if (waiting_ == Waiting::present && clock_ < eit_) wake();
  if (waiting_ == Waiting::any && earliest_known() < eit_) wake();
}

void Rank::record_pending_ending() {
  if (ending_) world_.record_ending(std::move(*ending_));
  ending_.reset();
}

void Rank::end_world_at(SimTime time, End end, int exit_code, std::string report) {
  // What is found later may have happened earlier.
  if (ending_ && ending_->time <= time) return;
  world_.expect_ending(time);
  ending_ =
      std::make_unique<World::Ending>(World::Ending{time, world_rank(), end, exit_code, std::move(report)});
  horizon_changed();
}

void Rank::end_world(End end, int exit_code, std::string report) {
  environment_.flush_output();
  end_world_at(clock_, end, exit_code, std::move(report));
  for (;;) block_here(Waiting::ending);
}

void Rank::enter_collective(const char* name, std::uint16_t operation, int root) {
  collective_name_ = name;
  collective_operation_ = operation;
  collective_root_ = root;
  name_collective(operation, name);
}

void Rank::detail_collective(MPI_Op op, const Datatype& type) {
  collective_operation_ = with_details(collective_operation_, op, type);
}

}  // namespace mpisim::mpi
