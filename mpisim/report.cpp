#include "mpisim/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mpisim/collective_stamp.hpp"
#include "mpisim/error_handlers.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::mpi {

namespace {

constexpr int misuse_status = 5;

struct BlockedRank {
  kernel::SimTime time;
  Rank::Blocked blocked;
};

std::string communicator_title(const Communicator& comm) {
  const std::string name = comm.name();
  return name.empty() ? "a communicator of the program" : name;
}

std::string rank_list(const std::vector<int>& ranks) {
  // Runs of consecutive ranks as "0-15", at most eight parts.
  std::string text;
  int parts = 0;
  for (std::size_t i = 0; i < ranks.size(); ++parts) {
    if (parts == 8) return text + ", ...";
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (parts > 0) text += ", ";
    text += end > i ? fmt::format("{}-{}", ranks[i], ranks[end]) : fmt::format("{}", ranks[i]);
    i = end + 1;
  }
  return text;
}

/// Ranks of a cycle in "waits for exactly one rank", in order; empty if there is none.
std::vector<int> find_cycle(const std::map<int, BlockedRank>& ranks) {
  std::map<int, int> colour;  // 0 new, n > 0 on or behind path n
  int path = 0;
  for (const auto& [start, unused] : ranks) {
    ++path;
    std::vector<int> trail;
    for (int at = start;;) {
      const auto found = ranks.find(at);
      if (found == ranks.end() || found->second.blocked.waits_for.size() != 1) break;
      int& mark = colour[at];
      if (mark == path) {
        return {std::find(trail.begin(), trail.end(), at), trail.end()};
      }
      if (mark != 0) break;
      mark = path;
      trail.push_back(at);
      at = found->second.blocked.waits_for.front();
    }
  }
  return {};
}

/// Ranks in the same call at the same place share a line if there are many.
void append_ranks(std::string& report, const std::map<int, BlockedRank>& ranks) {
  struct SameCall {
    std::vector<int> ranks;
    const BlockedRank* example = nullptr;
  };
  std::map<std::pair<std::string, std::string>, SameCall> groups;
  for (const auto& [rank, entry] : ranks) {
    SameCall& group = groups[{entry.blocked.call, entry.blocked.site}];
    group.ranks.push_back(rank);
    if (group.example == nullptr) group.example = &entry;
  }
  constexpr std::size_t most_single_lines = 16;
  const auto detail_of = [](const BlockedRank& entry, const char* lead) {
    return entry.blocked.detail.empty() ? std::string() : lead + entry.blocked.detail;
  };
  for (const auto& [key, group] : groups) {
    if (group.ranks.size() <= most_single_lines) {
      for (const int rank : group.ranks) {
        const BlockedRank& entry = ranks.at(rank);
        report += fmt::format("  rank {} at {} in {} ({}){}\n", rank, kernel::to_string(entry.time),
                              entry.blocked.call, entry.blocked.site, detail_of(entry, ": "));
      }
      continue;
    }
    report += fmt::format("  {} ranks ({}) in {} ({}){}\n", group.ranks.size(), rank_list(group.ranks),
                          key.first, key.second, detail_of(*group.example, ", the first: "));
  }
}

}  // namespace

Rank::Blocked Rank::describe_blocked() const {
  Blocked blocked;
  blocked.call = call_name_;
  blocked.site = runtime::describe(call_site_);
  if (waiting_ == Waiting::exchange) {
    blocked.detail = "the other members of the communicator";
    return blocked;
  }
  if (waiting_ != Waiting::all && waiting_ != Waiting::any) return blocked;
  int shown = 0;
  for (const Request* request : any_) {
    if (request->known) continue;
    if (request->work != nullptr) {
      if (++shown > 4) continue;
      if (!blocked.detail.empty()) blocked.detail += "; ";
      blocked.detail += request->work->describe();
      continue;
    }
    const Communicator& comm = *request->communicator;
    const int world_peer = request->peer >= 0 ? comm.peers().world_rank(request->peer) : -1;
    if (world_peer >= 0 && (waiting_ == Waiting::all || any_.size() == 1)) {
      if (std::find(blocked.waits_for.begin(), blocked.waits_for.end(), world_peer) ==
          blocked.waits_for.end()) {
        blocked.waits_for.push_back(world_peer);
      }
    }
    if (++shown > 4) continue;
    if (!blocked.detail.empty()) blocked.detail += "; ";
    const char* what = request->kind == Request::Kind::send      ? "send to"
                       : request->kind == Request::Kind::receive ? "receive from"
                       : request->kind == Request::Kind::probe   ? "probe of"
                                                                 : "generalized request";
    if (request->kind == Request::Kind::generalized) {
      blocked.detail += what;
      continue;
    }
    blocked.detail +=
        fmt::format("{} {}", what, world_peer >= 0 ? fmt::format("rank {}", world_peer) : "any rank");
    if (request->plane == core::Plane::user) {
      blocked.detail += request->tag == any_tag ? ", any tag" : fmt::format(", tag {}", request->tag);
    } else {
      blocked.detail += " inside the collective";
    }
    blocked.detail += fmt::format(", {}", communicator_title(comm));
    if (request->call_site != call_site_ && request->call_site != nullptr) {
      blocked.detail +=
          fmt::format(" (started by {} at {})", request->call_name, runtime::describe(request->call_site));
    }
  }
  if (shown > 4) blocked.detail += fmt::format("; and {} more", shown - 4);
  return blocked;
}

void Rank::report_leftovers() {
  // What was still undecided when the last rank ended is not: nothing more comes.
  class Forget final : public MatchHandler {
    void matched(Request&, Message& message) override { Message::dispose(&message); }
  } forget;
  queues_.for_each([this, &forget](MatchQueue& queue) {
    if (queue.unexpected_count() == 0) return;  // of almost all ranks
    queue.resolve(kernel::SimTime::infinity(), rules(), forget);
    const Message* message = queue.first_unexpected();
    if (message == nullptr) return;
    const bool collective = (queue.context() & 1U) == static_cast<ContextId>(core::Plane::collective);
    const int sender = static_cast<int>(message->key.source);
    if (collective) {
      world_.record_ending(
          {message->key.time, world_rank(), End::misuse, misuse_status,
           fmt::format("mismatched collectives: rank {} took part in {}, of which rank {} never received its "
                       "message; did all members call the same collectives in the same order{}?\n",
                       sender, described_collective(message->operation, message->root), world_rank(),
                       has_root(message->operation) ? ", with the same root" : "")});
    } else {
      const std::size_t count = queue.unexpected_count();
      world_.add_warning(
          fmt::format("rank {} never received {} message{}, the first from rank {} with tag {}", world_rank(),
                      count, count == 1 ? "" : "s", sender, message->tag));
    }
  });
}

void Rank::check_promise(const TagPromises& promises, int tag) {
  const auto broken = promises.broken(tag);
  if (!broken) return;
  end_world_at(
      broken->time, End::misuse, misuse_status,
      fmt::format("rank {} at {}: MPIX_Mpisim_deterministic ({}) promised that tag {} comes from one "
                  "source, but ranks {} and {} of the communicator both send it\n",
                  world_rank(), kernel::to_string(broken->time), runtime::describe(broken->site), broken->tag,
                  broken->first_source, broken->second_source));
}

std::vector<std::byte> pack_blocked_ranks(World& world) {
  kernel::PacketWriter out;
  for (std::size_t i = 0; i < world.local_ranks(); ++i) {
    Rank& rank = *world.local_rank(i);
    if (rank.state() == kernel::ProcessLp::State::terminated) continue;
    const Rank::Blocked blocked = rank.describe_blocked();
    out.put(rank.world_rank());
    out.put(rank.now());
    out.put_text(blocked.call);
    out.put_text(blocked.site);
    out.put_text(blocked.detail);
    out.put(static_cast<std::uint64_t>(blocked.waits_for.size()));
    for (const int peer : blocked.waits_for) out.put(peer);
  }
  return std::move(out.buffer());
}

std::string compose_deadlock_report(const std::vector<std::vector<std::byte>>& hosts,
                                    const std::vector<RankResult>& ranks) {
  std::map<int, BlockedRank> blocked;
  for (const auto& host : hosts) {
    kernel::PacketReader in(host);
    while (!in.empty()) {
      const auto rank = in.get<int>();
      BlockedRank& entry = blocked[rank];
      entry.time = in.get<kernel::SimTime>();
      entry.blocked.call = in.get_text();
      entry.blocked.site = in.get_text();
      entry.blocked.detail = in.get_text();
      for (auto left = in.get<std::uint64_t>(); left > 0; --left)
        entry.blocked.waits_for.push_back(in.get<int>());
    }
  }
  std::string report =
      fmt::format("deadlock: {} of {} ranks wait and nothing is under way that could wake one\n",
                  blocked.size(), ranks.size());
  append_ranks(report, blocked);
  const std::vector<int> cycle = find_cycle(blocked);
  if (!cycle.empty()) {
    report += "  cycle: rank ";
    for (std::size_t i = 0; i < std::min<std::size_t>(cycle.size(), 12); ++i) {
      report += fmt::format("{} waits for ", cycle[i]);
    }
    report += cycle.size() > 12 ? fmt::format("... ({} ranks) waits for {}\n", cycle.size(), cycle.front())
                                : fmt::format("{}\n", cycle.front());
  }
  std::vector<int> gone;
  for (const auto& [rank, entry] : blocked) {
    for (const int peer : entry.blocked.waits_for) {
      if (ranks.at(static_cast<std::size_t>(peer)).ended) gone.push_back(peer);
    }
  }
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  if (!gone.empty()) report += fmt::format("  already ended, but waited for: rank {}\n", rank_list(gone));
  return report;
}

std::string describe_ranks(World& world, const std::string& running_at) {
  std::map<int, BlockedRank> unfinished;
  std::vector<int> created;
  std::vector<int> ended;
  for (std::size_t i = 0; i < world.local_ranks(); ++i) {
    const Rank& rank = *world.local_rank(i);
    const kernel::ProcessLp::State state = rank.state();
    if (state == kernel::ProcessLp::State::terminated) {
      ended.push_back(rank.world_rank());
      continue;
    }
    const bool runs = state == kernel::ProcessLp::State::running;
    if (!runs && !rank.waits_outside() && rank.call_name()[0] == '\0') {
      created.push_back(rank.world_rank());
      continue;
    }
    BlockedRank& entry = unfinished[rank.world_rank()];
    entry.time = rank.now();
    if (!rank.in_simulator()) {
      entry.blocked.call = rank.waits_outside() ? "a call that waits for this host" : "its own code";
      entry.blocked.site = runs ? running_at : "?";
    } else {
      entry.blocked = rank.describe_blocked();
    }
  }
  std::string report;
  append_ranks(report, unfinished);
  const auto add = [&report](const std::vector<int>& ranks, const char* one, const char* many) {
    if (ranks.size() == 1) report += fmt::format("  rank {} {}\n", ranks.front(), one);
    if (ranks.size() > 1) report += fmt::format("  {} ranks ({}) {}\n", ranks.size(), rank_list(ranks), many);
  };
  add(created, "has not begun", "have not begun");
  add(ended, "has ended", "have ended");
  return report;
}

std::string slowest_rank(World& world) {
  const Rank* slowest = nullptr;
  kernel::SimTime latest;
  for (std::size_t i = 0; i < world.local_ranks(); ++i) {
    const Rank& rank = *world.local_rank(i);
    latest = kernel::max(latest, rank.now());
    if (rank.state() == kernel::ProcessLp::State::terminated) continue;
    if (slowest == nullptr || rank.now() < slowest->now()) slowest = &rank;
  }
  if (slowest == nullptr) return {};
  return fmt::format("{} simulated, the slowest: rank {} at {} in {}", kernel::to_string(latest),
                     slowest->world_rank(), kernel::to_string(slowest->now()),
                     slowest->in_simulator() ? slowest->call_name() : "its own code");
}

std::string place_of_overflow() {
  const Rank* rank = detail::running_rank;
  if (rank == nullptr) return {};
  const std::vector<const void*> callers = runtime::backtrace_of_target();
  const void* site = callers.empty() ? rank->call_site() : callers.front();
  return fmt::format("rank {} at {} ({}): ", rank->world_rank(), kernel::to_string(rank->now()),
                     runtime::describe(site));
}

std::string describe_current_call() {
  Rank& rank = current_rank();
  return fmt::format("rank {} at {} in {} ({})", rank.world_rank(), kernel::to_string(rank.now()),
                     rank.call_name(), runtime::describe(rank.call_site()));
}

std::string describe_started(const Request& request) {
  return fmt::format("{} at {}", request.call_name, runtime::describe(request.call_site));
}

int raise(Communicator* comm, int error_class, const std::string& message) {
  if (!error_is_fatal(comm, error_class)) return error_class;
  fatal(error_class, message);
}

void fatal(int error_class, const std::string& message) {
  current_rank().end_world(
      End::misuse, misuse_status,
      fmt::format("{}: {}\n  {}\n", describe_current_call(), message, error_class_text(error_class)));
}

void warn(const std::string& message) {
  Rank& rank = current_rank();
  rank.world().add_warning(
      rank.world_rank(), "",
      fmt::format(" in {} ({}): {}", rank.call_name(), runtime::describe(rank.call_site()), message));
}

}  // namespace mpisim::mpi
