#pragma once
// One rank of the target program: a process LP with its clock, its requests and its message queues.
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpisim/core.hpp"
#include "mpisim/handles.hpp"
#include "mpisim/matching.hpp"
#include "mpisim/queue_table.hpp"
#include "mpisim/strand.hpp"
#include "mpisim/world.hpp"
#include "runtime/rank_environment.hpp"
#include "simkernel/process_lp.hpp"

namespace mpisim::mpi {

class alignas(64) Rank final : public kernel::ProcessLp, public runtime::RankServices, private MatchHandler {
 public:
  Rank(World& world, int world_rank, const kernel::Stack& stack, std::uintptr_t segment_base);
  ~Rank() override;

  World& world() const { return world_; }
  RankHandles& handles() { return handles_; }
  runtime::RankEnvironment& environment() { return environment_; }
  RankResult& result() { return result_; }
  network::NodeId node() const { return node_; }

  // --- the life of the program ---
  bool initialized = false;
  bool finalized = false;
  int thread_level = 0;
  void begin_mpi() { initialized = may_call_ = true; }
  void end_mpi() {
    finalized = true;
    may_call_ = false;
  }
  std::unique_ptr<RankExtension> extension;  ///< made by the layer above when it is first used

  // --- calls (CallScope) ---
  void enter_call(const char* name, CallKind kind, const void* return_address);
  void leave_call();
  const char* call_name() const { return call_name_; }
  const void* call_site() const { return call_site_; }

  // --- point to point, below handles (transfer.cpp) ---
  Request* make_request(Request::Kind kind, Communicator& comm, core::Plane plane);
  /// Starts a request whose arguments are filled in.
  void start(Request& request);
  /// Frees a request that is not active.
  void free_request(Request* request);
  /// MPI_Request_free of an active request.
  void release_request(Request* request);

  // --- blocking calls, below handles (blocking.cpp): as the same requests started together and waited for
  // ---
  void send(const MessageSide& out);
  /// False, and nothing has happened, if the message is not eager or has to be packed; else it is sent, and
  /// the send is complete.
  bool send_at_once(const MessageSide& out);
  core::Status receive(const MessageSide& in);
  /// The receive is started first, as in MPI_Sendrecv.
  core::Status exchange(const MessageSide& out, const MessageSide& in);

  // --- completion (completion.cpp); all of them on the rank's own fiber ---
  /// Blocks until all are complete by simulated time and charges the receiver's costs in this order. Requests
  /// stay allocated; `active` becomes false.
  void complete_all(std::span<Request* const> requests);
  /// Blocks until one is complete; the index of the one with the earliest completion (ties: lowest index) at
  /// or after the present, which is completed.
  std::size_t complete_any(std::span<Request* const> requests);
  /// Blocks until one is complete, then completes all that are complete by then; returns their indices.
  std::vector<std::size_t> complete_some(std::span<Request* const> requests);
  enum class TestWhat : std::uint8_t { all, any, some };
  /// Completes what the rules of MPI_Testall, Testany and Testsome say for the present; empty: not (all)
  /// complete, and the poll has been charged.
  std::vector<std::size_t> test(std::span<Request* const> requests, TestWhat what);

  /// Blocking probe: the message stays in its queue.
  Message* probe(Communicator& comm, int source, int tag);
  /// Null if there is none at present; charges the poll then.
  Message* probe_now(Communicator& comm, int source, int tag);
  /// The reference is valid until the rank blocks or asks for another.
  MatchQueue& queue(ContextId context) { return queues_[context]; }
  static ContextId queue_context(const Communicator& comm, core::Plane plane) {
    return comm.context() << 1U | static_cast<ContextId>(plane);
  }
  /// Starts a receive of a message that Mprobe took from its queue.
  void start_matched(Request& request, Message& message);
  /// Whether a request is complete at present; a fruitless poll is charged if not. The request stays active.
  bool is_complete(const Request& request);
  /// MPI_Cancel of a send or receive (cancel.cpp).
  void cancel(Request& request);
  /// A generalized request's MPI_Grequest_complete.
  void complete_generalized(Request& request);

  /// The program promises that messages to this rank with `tag` (or any_tag: with each tag) come from one
  /// source alone.
  void promise_one_source(Communicator& comm, int tag);

  void charge(kernel::SimTime duration) { clock_ += duration; }
  /// Lets all others that are ready go first; no simulated time passes. A strand goes on.
  void let_others_post() {
    if (!in_strand()) let_others_run();
  }
  /// Sequential code between calls has taken `duration`.
  void charge_compute(kernel::SimTime duration);
  void enter_collective(const char* name, std::uint16_t operation, int root);
  /// Of the collective that was entered: its operation (MPI_OP_NULL: none) and the type of its data.
  void detail_collective(MPI_Op op, const Datatype& type);
  core::CollectiveFault collective_fault;

  /// Buffered sends: space in the program's attached buffer.
  struct AttachedBuffer {
    void* address = nullptr;
    std::uint64_t size = 0;
    std::deque<std::pair<kernel::SimTime, std::uint64_t>> in_use;  ///< free again at, bytes
  };
  std::unique_ptr<AttachedBuffer> attached;

  /// Blocks until every event with a receive time at or before the present is here and decided.
  void ask_present();
  /// Blocks (a wait without simulated time) until resume_after_exchange() by the exchange table.
  void block_for_exchange();
  void resume_after_exchange();
  /// Sends `question` (kind and contents filled in) to an LP that the layer above has added, to arrive after
  /// `delay`, and blocks until that LP's answer, which is handed over, has come.
  kernel::Event* ask(kernel::LpId lp, kernel::SimTime delay, kernel::Event* question);
  /// The same without waiting: the answer, if there is one, goes to the extension (RankExtension::take).
  void tell(kernel::LpId lp, kernel::SimTime delay, kernel::Event* message);
  /// tell() from RankExtension::take, to arrive at `at`. Such messages have keys of their own, so that they
  /// do not depend on how far the rank had got when the event came.
  void react(kernel::LpId lp, kernel::SimTime at, kernel::Event* message);
  /// A started request of the layer above is complete at `at`.
  void complete_background(Request& request, kernel::SimTime at) { known(request, at); }
  /// Begins to go through `body` beside the program; `whole`, a started request of the kind background, is
  /// complete when it returns. Called by the program, inside a call.
  void start_strand(Request& whole, Strand::Body body);
  /// Number of the strand that runs; 0: the program does.
  std::uint32_t strand_number() const {
    return strands_ && strands_->running != nullptr ? strands_->running->number() : 0;
  }

  /// Ends the whole run from this rank once its present is safe.
  [[noreturn]] void end_world(End end, int exit_code, std::string report);
  /// The same from outside the rank's fiber, or where the rank must go on until it blocks.
  void end_world_at(kernel::SimTime time, End end, int exit_code, std::string report);

  /// One line for reports: "MPI_Recv from rank 1, tag 77, MPI_COMM_WORLD (file.c:6)"; empty if not blocked.
  struct Blocked {
    std::string call;
    std::string site;
    std::string detail;          ///< "source 1, tag 77, MPI_COMM_WORLD"
    std::vector<int> waits_for;  ///< world ranks; empty: any or unknown
    bool exited = false;
  };
  Blocked describe_blocked() const;
  /// Whether the end of the run is all that it has to decide.
  bool only_ends() const;
  /// A call of the program waits for something outside of the simulation.
  bool waits_outside() const { return waiting_ == Waiting::outside; }
  /// It has ended, waits for what is not on its way, or polls in vain; see livelock.hpp.
  bool stuck() const;
  /// When it last did anything else, if it is stuck.
  kernel::SimTime last_action() const;
  const PollRow& poll_row() const { return poll_row_; }
  /// The program is about to poll in a loop that nothing but a poll's success can end.
  void expect_wait() { waits_by_polling_ = true; }
  /// After a stop: an ending that this rank had not come to decide may be earlier than the one that did.
  void record_pending_ending();
  /// After the run: a warning about messages that were never received, and misuse if they belong to a
  /// collective that this rank did not take part in.
  void report_leftovers();

  // --- RankServices ---
  int world_rank() const override { return static_cast<int>(id()); }
  int world_size() const override { return world_.options().ranks; }
  std::string node_name() const override;
  bool in_simulator() const override { return call_depth_ > 0; }
  kernel::SimTime read_clock() override;
  void sleep(kernel::SimTime duration) override;
  void write_output(int fd, const char* data, std::size_t size) override;
  bool begin_file_use() override;
  void charge_file_use(const runtime::FileUse& use) override;
  void settle_files() override;
  void end_file_use() override;
  void take_compute_time() override;
  bool let_others_go_on() override;
  [[noreturn]] void end_rank(int status) override;
  [[noreturn]] void refuse(const std::string& message) override;

  // --- LogicalProcess ---
  void deliver(kernel::Event* event) override;
  kernel::Horizon horizon() const override;
  void advance(kernel::SimTime eit) override;

  /// Key of an event that this rank sends, to arrive at `time`.
  kernel::EventKey next_key(kernel::SimTime time) {
    if (in_strand()) [[unlikely]]
      return strands_->running->next_key(time, id());
    return {time, id(), next_sequence()};
  }

  /// Makes this rank the one that runs on this thread.
  void activate();

 private:
  enum class Waiting : std::uint8_t { nothing, all, any, present, exchange, answer, outside, ending };

  void run() override;
  void block_here(Waiting waiting);
  /// Lets the rank go on after block_here().
  void wake() {
    woken_ = true;
    make_ready();
  }
  /// A sender of eager messages never blocks: its whole stream would be copied before the receiver takes the
  /// first.
  void let_receivers_run() {
    if (Message::kept_bytes() > world_.options().kept_bytes && !in_strand()) [[unlikely]]
      let_others_run();
  }
  void let_others_run();
  /// False while the rank waits for the program's own files: its MPI library cannot react then.
  bool inside_call() const { return waiting_ != Waiting::answer || call_depth_ > 0; }
  MatchRules rules() const { return rules_; }
  /// Messages that come before this may be matched at once. If the program cancels receives all have to wait
  /// for resolve_all(), which decides in the order of time.
  kernel::SimTime decided_below() const { return rules_.cancels ? kernel::SimTime::zero() : eit_; }
  /// An ending is decided when every other rank has passed its time: then it is the same, and so is what was
  /// printed before it, however far ranks run ahead of each other.
  kernel::SimTime safe_to_end() const;
  /// So much time passes at least between its going on and its next message, whatever the program does.
  kernel::SimTime delay_to_send() const;
  /// Below this, what the rank does is certain: all events are here, and it does not go on earlier.
  kernel::SimTime certain_below() const;
  void resolve_all();
  void check_phase();
  void take_compute(const void* site);
  void mark_compute();

  // strand.cpp
  bool in_strand() const { return strands_ && strands_->running != nullptr; }
  /// On the rank's fiber, between two things that the program does.
  void run_strands();
  void run_due_strands() {
    if (strands_ && !strands_->due.empty()) [[unlikely]]
      run_strands();
  }
  bool waits_for_calls() const { return world_.options().config.progress == Progress::in_calls; }
  void exchange_context(Strand::Context& context);
  kernel::SimTime program_clock() const { return in_strand() ? strands_->running->context.clock : clock_; }
  void let_strand_go_on(Strand& strand, kernel::SimTime at);
  void complete_in_strand(Strand& strand, std::span<Request* const> requests);
  kernel::Event* ask_in_strand(Strand& strand);
  bool answer_strand(kernel::Event* event);

  // blocking.cpp
  Request* start_side(Request::Kind kind, const MessageSide& side, bool one_source = false);
  Message* at_hand(const MessageSide& in);
  core::Status take_at_hand(const MessageSide& in, Message& message, kernel::SimTime posted);

  // transfer.cpp
  void start_send(Request& request);
  Message* make_envelope(Communicator& comm, core::Plane plane, int peer, int tag, std::uint64_t bytes);
  kernel::SimTime place_eager(Message& envelope);
  void expect_answer(Request& request, Message& envelope);
  void start_receive(Request& request);
  void check_promise(const TagPromises& promises, int tag);
  void matched(Request& receive, Message& message) override;
  void receive_matched(Request& receive, Message& message);
  bool fits_collective(const Request& receive, Message& message);
  void begin(Request& request);
  void on_answer(Message& message);
  void on_data(Message& message);
  void answer(const Message& envelope, Request& receive, kernel::SimTime at);

  /// What the library does by itself when a message comes: answer a rendezvous, or send its data. The message
  /// is complete but for its times.
  struct Reaction {
    kernel::SimTime time;  ///< when its cause was there
    Message* message;
    Request* request;
    Strand* strand = nullptr;  ///< instead of the message: goes on
  };
  void send_reaction(const Reaction& reaction, kernel::SimTime at);

  // cancel.cpp
  /// MPI_Cancel of a send by another rank: the envelope is taken back unless a receive that was posted before
  /// `time` takes it.
  struct Withdrawal {
    kernel::SimTime time;
    Message* cancel;
  };
  void cancel_send(const Request& request);
  void cancel_receive(Request& request);
  void on_cancel(Message& message);
  void on_cancelled(Message& message);
  std::vector<Withdrawal>::const_iterator first_withdrawal() const;
  kernel::SimTime next_withdrawal() const;
  void withdraw_next();

  // progress.cpp
  void progress(const Reaction& reaction);
  void progress_at_entry();
  void progress_awaited();
  void progress_below(kernel::SimTime limit);
  void progress_certain();
  void progress_after_end();
  void remember_call();
  void store(Request& receive, const Message& message);
  void known(Request& request, kernel::SimTime completion);
  std::uint32_t add_slot(Request& request);
  Request* take_slot(std::uint32_t index);

  // completion.cpp
  void finish(Request& request);
  void charge_wait(kernel::SimTime completion);
  void charge_receipt(network::NodeId sender_node, std::uint64_t bytes, bool eager,
                      kernel::SimTime completion);
  void clock_read();
  void fruitless_poll();
  kernel::SimTime cost_of_poll(kernel::SimTime row) const;
  void count_poll();
  void end_poll_row();
  kernel::SimTime earliest_known() const;

  // What every message to the rank touches lies together, and what its own calls touch: with many ranks each
  // cache line is a miss.
  World& world_;
  const MatchRules rules_;
  kernel::SimTime eit_;  ///< every event with a receive time below is here
  Waiting waiting_ = Waiting::nothing;
  std::uint8_t call_depth_ = 0;
  CallKind call_kind_ = CallKind::local;
  bool may_call_ = false;  ///< between MPI_Init and MPI_Finalize
  bool in_poll_row_ = false;
  bool polled_ = false;            ///< the current call is a fruitless poll
  bool computed_ = false;          ///< since the last fruitless poll
  bool waits_by_polling_ = false;  ///< the next poll is in a loop that ends only when one succeeds
  bool woken_ = false;             ///< what block_here() waits for is here
  std::uint32_t pending_ = 0;      ///< Waiting::all: requests not yet known
  std::uint32_t unresolved_ = 0;   ///< active requests whose completion is not known
  network::NodeId node_;
  std::uint32_t owed_ = 0;  ///< envelopes that are here and will be answered when they are matched
  std::span<Request* const> any_;
  QueueTable queues_;

  network::Adapter adapter_;
  const char* call_name_ = "";
  const void* call_site_ = nullptr;
  kernel::SimTime call_start_;
  std::uint16_t collective_operation_ = 0;
  std::int32_t collective_root_ = 0;
  std::uint32_t clock_reads_ = 0;  ///< in a row
  runtime::RankEnvironment environment_;
  std::vector<Reaction> reactions_;  ///< Progress::in_calls: their time is not known yet
  std::unique_ptr<World::Ending> ending_;
  RankResult result_;

  RankHandles handles_;
  std::vector<Request*> slots_;
  std::vector<std::uint32_t> free_slots_;
  kernel::Event* answer_ = nullptr;  ///< Waiting::answer: what came
  kernel::SimTime ending_time_ = kernel::SimTime::infinity();
  kernel::SimTime file_use_start_;
  const char* collective_name_ = "";
  struct CallInterval {
    kernel::SimTime enter;
    kernel::SimTime exit;
  };
  /// Progress::in_calls: past calls that a late reaction may fall into; made when there is one.
  std::unique_ptr<std::deque<CallInterval>> calls_;
  PollRow poll_row_;
  kernel::SimTime poll_row_start_;
  kernel::SimTime clock_row_start_;
  std::uint64_t cpu_mark_ = 0;
  std::unique_ptr<std::unordered_map<std::uint64_t, std::uint32_t>> visits_;
  std::vector<Withdrawal> withdrawals_;  ///< not decided yet
  std::uint64_t output_sequence_ = 0;
  std::uint64_t reaction_sequence_ = 0;  ///< of react()
  std::unique_ptr<Strands> strands_;     ///< made when there is one
};

}  // namespace mpisim::mpi
