// Two-phase collective I/O (del Rosario, Bordawekar, Choudhary: Improved parallel I/O via a two-phase
// run-time access strategy, 1993): the part of the file that the call touches is divided into equal domains,
// one for each aggregator, which goes through its domain in rounds of cb_buffer_size bytes. In each
// round every rank sends each aggregator the list of its pieces there, with the data of writes; aggregators
// make one access for each run of touched bytes and send back the data of reads. Rounds without any pieces
// are left out. Holes of up to io.sieve_hole bytes (or as the hints romio_ds_read
// and romio_ds_write say) are accessed with what is around them (data sieving:
// Thakur, Gropp, Lusk: Data sieving and collective I/O in ROMIO, 1999): reads read them, writes read and
// write them.
//
// Messages: an all-reduce of the range; in each round, if there are several, an all-reduce of its number,
// then an exchange of the messages' sizes (Bruck's all-to-all, but for sizes of 0), at most one message from
// each rank to each aggregator and one back; writes end with an all-reduce of the error class.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mpisim/core.hpp"
#include "piosim/access.hpp"
#include "piosim/agreement.hpp"
#include "piosim/domains.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

namespace {

namespace core = mpi::core;

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// A piece that this rank asks for, and where its data is in the access's.
struct Wanted {
  FilePiece piece;
  std::uint64_t at = 0;
  std::uint64_t round = 0;
};

/// What a rank asks an aggregator for: in each round a message of the number of pieces, the pieces, and the
/// data of writes.
struct Order {
  std::vector<Wanted> all;      ///< by round
  std::span<const Wanted> now;  ///< of the current round
  std::vector<std::byte> message;
  std::vector<std::byte> reply;  ///< of reads: ReplyHead, then the data of the pieces

  /// The pieces of later rounds.
  std::span<const Wanted> later() const {
    const Wanted* const first = now.data() == nullptr ? all.data() : now.data() + now.size();
    return {first, all.data() + all.size()};
  }
  std::uint64_t bytes_now() const {
    std::uint64_t bytes = 0;
    for (const Wanted& wanted : now) bytes += wanted.piece.bytes;
    return bytes;
  }
};

struct ReplyHead {
  std::uint64_t end = no_end;  ///< of the file, as far as the aggregator has met it
  std::uint64_t error_class = 0;
};

/// A piece that an aggregator has been asked for, and where its data is or goes.
struct Part {
  FilePiece piece;
  std::byte* data;
  std::uint64_t end() const { return piece.offset + piece.bytes; }
};

class TwoPhase {
 public:
  explicit TwoPhase(const Access& access) : access_(access), comm_(access.members()) {}

  Outcome run() {
    find_pieces();
    std::uint64_t range[2] = {~low_, high_};
    maximum(comm_, range);
    if (range[1] == 0) return {};  // no rank moves any data
    const std::uint64_t wanted = access_.file.hints.aggregators;
    const auto ranks = static_cast<std::uint64_t>(comm_.size());
    domains_ = std::make_unique<Domains>(~range[0], range[1], wanted == 0 ? ranks : std::min(wanted, ranks),
                                         comm_.size(), access_.file.hints.collective_buffer);
    deal();
    for (std::uint64_t round = 0; agree_on_round(round); ++round) {
      begin_round(round);
      if (!access_.write) take_replies();
    }
    if (access_.write)
      agree_on_failure();
    else
      outcome_.bytes = std::min(short_at_, access_.bytes);
    return std::move(outcome_);
  }

 private:
  /// Holes up to this size are accessed, too.
  std::uint64_t largest_hole() const {
    return access_.file.hints.sieved_hole(access_.write, world_io().config.sieve_hole);
  }

  /// The list of pieces of this rank's request, and the range that they lie in.
  void find_pieces() {
    auto add = [this](const FilePiece& piece) {
      low_ = std::min(low_, piece.offset);
      high_ = std::max(high_, piece.offset + piece.bytes);
      pieces_.push_back(piece);
    };
    Coalescer coalescer(true, add);
    access_.shown().for_each_piece(access_.position, access_.bytes,
                                   [&coalescer](const FilePiece& piece) { coalescer.add(piece); });
    coalescer.finish();
  }

  /// Divides the pieces among the aggregators and rounds.
  void deal() {
    std::uint64_t at = 0;
    for (FilePiece left : pieces_) {
      while (left.bytes > 0) {
        const FilePiece part{left.offset, std::min(left.bytes, domains_->end(left.offset) - left.offset)};
        orders_[domains_->of(part.offset)].all.push_back({part, at, domains_->round_of(part.offset)});
        at += part.bytes;
        left.offset += part.bytes;
        left.bytes -= part.bytes;
      }
    }
    pieces_ = {};
    // Out of order only where regions of a view overlap.
    const auto earlier = [](const Wanted& a, const Wanted& b) { return a.round < b.round; };
    for (auto& [domain, order] : orders_)
      if (!std::is_sorted(order.all.begin(), order.all.end(), earlier))
        std::stable_sort(order.all.begin(), order.all.end(), earlier);
  }

  /// Goes on to the first round, from `round` on, in which any rank asks for anything; false if there is
  /// none.
  bool agree_on_round(std::uint64_t& round) {
    if (domains_->rounds() == 1) return round == 0;
    std::uint64_t next = domains_->rounds();
    for (const auto& [domain, order] : orders_)
      if (!order.later().empty()) next = std::min(next, order.later().front().round);
    std::uint64_t first[1] = {~next};
    maximum(comm_, first);
    round = ~first[0];
    return round < domains_->rounds();
  }

  void begin_round(std::uint64_t round) {
    for (auto& [domain, order] : orders_) make_order(order, round);
    exchange_orders();
    if (access_.write)
      write();
    else
      read();
  }

  void make_order(Order& order, std::uint64_t round) {
    const std::span<const Wanted> later = order.later();
    const auto other = [round](const Wanted& wanted) { return wanted.round != round; };
    order.now = {later.begin(), std::find_if(later.begin(), later.end(), other)};
    order.message.clear();
    order.reply.clear();
    const std::uint64_t count = order.now.size();
    if (count == 0) return;
    const std::uint64_t data_bytes = access_.write ? order.bytes_now() : 0;
    order.message.resize(sizeof count + count * sizeof(FilePiece) + data_bytes);
    std::byte* list = order.message.data() + sizeof count;
    std::byte* data = list + count * sizeof(FilePiece);
    std::memcpy(order.message.data(), &count, sizeof count);
    for (const Wanted& wanted : order.now) {
      std::memcpy(list, &wanted.piece, sizeof wanted.piece);
      list += sizeof wanted.piece;
      if (!access_.write || !moves_data_) continue;
      std::memcpy(data, access_.data + wanted.at, wanted.piece.bytes);
      data += wanted.piece.bytes;
    }
    core::charge_copy(data_bytes);
  }

  mpi::Request* send(const std::vector<std::byte>& message, int to) {
    return core::isend(comm_, core::Plane::collective, core::SendMode::standard, message.data(),
                       message.size(), mpi::byte_type(), to, tag_);
  }
  mpi::Request* receive(std::vector<std::byte>& message, int from) {
    return core::irecv(comm_, core::Plane::collective, message.data(), message.size(), mpi::byte_type(), from,
                       tag_);
  }
  void next_messages() { tag_ = static_cast<int>(comm_.next_collective() & 0x7fffffffU); }

  void exchange_orders() {
    std::vector<Parcel> sizes;
    for (const auto& [domain, order] : orders_)
      if (!order.message.empty())
        sizes.push_back({comm_.rank(), domains_->rank_of(domain), order.message.size()});
    sizes = deliver(comm_, std::move(sizes));

    next_messages();
    received_.clear();
    std::vector<mpi::Request*> requests;
    for (const Parcel& size : sizes) {
      std::vector<std::byte>& message = received_[size.from];
      message.resize(size.value);
      if (size.from != comm_.rank()) requests.push_back(receive(message, size.from));
    }
    for (auto& [domain, order] : orders_) {
      if (order.message.empty()) continue;
      const int aggregator = domains_->rank_of(domain);
      if (aggregator == comm_.rank())
        received_[aggregator] = order.message;
      else
        requests.push_back(send(order.message, aggregator));
    }
    core::wait_all(requests);
  }

  /// The pieces that other ranks ask this one for, by place in the file; of equal ones by rank.
  std::vector<Part> sorted_parts() {
    std::vector<Part> parts;
    replies_.clear();
    for (auto& [source, message] : received_) {
      std::uint64_t count = 0;
      std::memcpy(&count, message.data(), sizeof count);
      std::vector<FilePiece> pieces(count);
      std::memcpy(pieces.data(), message.data() + sizeof count, count * sizeof(FilePiece));
      std::uint64_t data_bytes = 0;
      for (const FilePiece& piece : pieces) data_bytes += piece.bytes;
      std::byte* data = message.data() + sizeof count + count * sizeof(FilePiece);
      if (!access_.write) {
        std::vector<std::byte>& reply = replies_[source];
        reply.resize(sizeof(ReplyHead) + data_bytes);
        data = reply.data() + sizeof(ReplyHead);
      }
      for (const FilePiece& piece : pieces) {
        parts.push_back({piece, data});
        data += piece.bytes;
      }
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.piece.offset < b.piece.offset; });
    return parts;
  }

  /// Calls visit(run, parts) for each run of bytes that are touched, or lie in a hole of up to `hole` bytes.
  template <class Visit>
  static void for_each_run(std::span<const Part> parts, std::uint64_t hole, Visit&& visit) {
    for (std::size_t first = 0; first < parts.size();) {
      std::uint64_t end = parts[first].end();
      std::size_t last = first + 1;
      for (;
           last < parts.size() && (parts[last].piece.offset <= end || parts[last].piece.offset - end <= hole);
           ++last)
        end = std::max(end, parts[last].end());
      visit(FilePiece{parts[first].piece.offset, end - parts[first].piece.offset},
            parts.subspan(first, last - first));
      first = last;
    }
  }

  /// Runs of touched bytes.
  static std::size_t count_runs(std::span<const Part> parts) {
    std::size_t runs = 0;
    for_each_run(parts, 0, [&runs](const FilePiece&, std::span<const Part>) { ++runs; });
    return runs;
  }

  void write() {
    for_each_run(sorted_parts(), largest_hole(), [&](const FilePiece& run, std::span<const Part> parts) {
      const std::size_t runs = count_runs(parts);
      for_each_run(parts, 0, [&](const FilePiece& touched, std::span<const Part> own) {
        write_run(touched, own, runs == 1);
      });
      if (runs == 1 || !outcome_.failure.ok()) return;
      // What is in the holes is read first and written back; the real file's keeps what others write there.
      account(access_.place(), run, false);
      account(access_.place(), run, true);
    });
  }

  /// `timed`: it is an access of its own.
  void write_run(const FilePiece& run, std::span<const Part> parts, bool timed) {
    if (!outcome_.failure.ok()) return;
    std::unique_ptr<std::byte[]> joined;
    std::byte* data = parts.front().data;
    if (parts.size() > 1) {
      joined = std::make_unique_for_overwrite<std::byte[]>(run.bytes);
      data = joined.get();
      if (moves_data_)
        for (const Part& part : parts)
          std::memcpy(joined.get() + (part.piece.offset - run.offset), part.data, part.piece.bytes);
      core::charge_copy(run.bytes);
    }
    if (timed)
      move(access_, run, data, outcome_.failure);
    else
      move_data(access_.file, run, data, true, outcome_.failure);
  }

  void agree_on_failure() {
    std::uint64_t error_class[1] = {static_cast<std::uint64_t>(outcome_.failure.error_class)};
    maximum(comm_, error_class);
    if (outcome_.failure.ok()) outcome_.failure.error_class = static_cast<int>(error_class[0]);
    if (outcome_.failure.ok()) outcome_.bytes = access_.bytes;
  }

  void read() {
    for_each_run(sorted_parts(), largest_hole(), [&](const FilePiece& run, std::span<const Part> parts) {
      const std::size_t runs = count_runs(parts);
      std::uint64_t moved_to = run.offset;
      for_each_run(parts, 0, [&](const FilePiece& touched, std::span<const Part> own) {
        const std::uint64_t moved = read_run(touched, own, runs == 1);
        if (moved > 0) moved_to = touched.offset + moved;
      });
      if (runs > 1) account(access_.place(), {run.offset, moved_to - run.offset}, false);
    });
    head_.error_class = static_cast<std::uint64_t>(outcome_.failure.error_class);
  }

  std::uint64_t read_run(const FilePiece& run, std::span<const Part> parts, bool timed) {
    const auto data = moves_data_ ? std::make_unique<std::byte[]>(run.bytes) : nullptr;
    const std::uint64_t moved = timed ? move(access_, run, data.get(), outcome_.failure)
                                      : move_data(access_.file, run, data.get(), false, outcome_.failure);
    if (moved < run.bytes) head_.end = std::min(head_.end, run.offset + moved);
    if (moves_data_)
      for (const Part& part : parts)
        std::memcpy(part.data, data.get() + (part.piece.offset - run.offset), part.piece.bytes);
    core::charge_copy(run.bytes);
    return moved;
  }

  /// The data of reads goes from the aggregators to the ranks, and up to the end of the file to the caller.
  void take_replies() {
    exchange_replies();
    std::uint64_t copied = 0;
    for (const auto& [domain, order] : orders_) {
      if (order.reply.empty()) continue;
      ReplyHead head;
      std::memcpy(&head, order.reply.data(), sizeof head);
      if (outcome_.failure.ok()) outcome_.failure.error_class = static_cast<int>(head.error_class);
      const std::byte* data = order.reply.data() + sizeof head;
      for (const auto& [piece, at, round] : order.now) {
        const std::uint64_t there =
            head.end <= piece.offset ? 0 : std::min(piece.bytes, head.end - piece.offset);
        if (moves_data_) std::memcpy(access_.data + at, data, there);
        data += piece.bytes;
        copied += there;
        if (there < piece.bytes) short_at_ = std::min(short_at_, at + there);
      }
    }
    core::charge_copy(copied);
  }

  void exchange_replies() {
    const Domains& domains = *domains_;
    next_messages();
    std::vector<mpi::Request*> requests;
    for (auto& [domain, order] : orders_) {
      if (order.message.empty()) continue;
      order.reply.resize(sizeof(ReplyHead) + order.bytes_now());
      if (domains.rank_of(domain) != comm_.rank())
        requests.push_back(receive(order.reply, domains.rank_of(domain)));
    }
    for (auto& [source, reply] : replies_) {
      std::memcpy(reply.data(), &head_, sizeof head_);
      if (source != comm_.rank()) requests.push_back(send(reply, source));
    }
    core::wait_all(requests);
    for (auto& [domain, order] : orders_)
      if (domains.rank_of(domain) == comm_.rank() && !order.message.empty())
        order.reply = std::move(replies_[comm_.rank()]);
  }

  const Access access_;
  mpi::Communicator& comm_;
  const bool moves_data_ = world_io().config.moves_data;
  std::unique_ptr<const Domains> domains_;
  Outcome outcome_;
  ReplyHead head_;
  std::uint64_t short_at_ = no_end;  ///< where the data of a read ends, in the access's
  std::vector<FilePiece> pieces_;
  std::uint64_t low_ = no_end;
  std::uint64_t high_ = 0;
  // Only of those ranks that there is something for: a rank of many knows few others.
  std::map<std::uint64_t, Order> orders_;           ///< by domain
  std::map<int, std::vector<std::byte>> received_;  ///< by rank
  std::map<int, std::vector<std::byte>> replies_;   ///< by rank
  int tag_ = 0;
};

}  // namespace

Outcome access_two_phase(const Access& access) {
  return TwoPhase(access).run();
}

}  // namespace mpisim::pio
