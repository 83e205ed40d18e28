// Two-phase collective I/O (del Rosario, Bordawekar, Choudhary: Improved parallel I/O via a two-phase
// run-time access strategy, 1993): the part of the file that the call touches is divided into equal domains,
// one for each aggregator. Every rank sends each aggregator the list of its pieces in that domain, with the
// data of writes; aggregators make one access for each run of touched bytes (holes are neither read nor
// written), and send back the data of reads. Messages: an all-reduce of the range, an all-to-all of the
// messages' sizes, at most one message from each rank to each aggregator and one back; writes end with an
// all-reduce of the error class.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "mpisim/core.hpp"
#include "piosim/access.hpp"
#include "piosim/agreement.hpp"
#include "piosim/background.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

namespace {

namespace core = mpi::core;

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// Equal parts of the range that a call touches, one for each aggregator.
class Domains {
 public:
  Domains(std::uint64_t low, std::uint64_t high, std::uint64_t aggregators, int ranks)
      : low_(low),
        length_(std::max<std::uint64_t>(1, (high - low) / aggregators + ((high - low) % aggregators != 0))),
        aggregators_(aggregators),
        ranks_(static_cast<std::uint64_t>(ranks)) {}

  std::uint64_t count() const { return aggregators_; }
  std::uint64_t of(std::uint64_t offset) const { return (offset - low_) / length_; }
  std::uint64_t end(std::uint64_t domain) const { return low_ + (domain + 1) * length_; }
  /// Aggregators are spread over the ranks.
  int rank_of(std::uint64_t domain) const { return static_cast<int>(domain * ranks_ / aggregators_); }

 private:
  std::uint64_t low_;
  std::uint64_t length_;
  std::uint64_t aggregators_;
  std::uint64_t ranks_;
};

/// A rank's message to an aggregator: the number of pieces, the pieces, and the data of writes.
struct Order {
  std::vector<FilePiece> pieces;
  std::uint64_t data_bytes = 0;
  std::vector<std::byte> message;
  std::vector<std::byte> reply;  ///< of reads: ReplyHead, then the data of the pieces

  void add(const FilePiece& piece) {
    pieces.push_back(piece);
    data_bytes += piece.bytes;
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

class TwoPhase final : public CollectiveAccess {
 public:
  /// `in_background`: aggregators do not wait for their accesses in begin().
  TwoPhase(const Access& access, bool in_background)
      : access_(access), comm_(access.file.comm()), in_background_(in_background) {}

  void begin() override {
    find_pieces();
    std::uint64_t range[2] = {~low_, high_};
    maximum(comm_, range);
    if (range[1] == 0) return;  // no rank moves any data
    const std::uint64_t wanted = access_.file.aggregators;
    const auto ranks = static_cast<std::uint64_t>(comm_.size());
    domains_.emplace(~range[0], range[1], wanted == 0 ? ranks : std::min(wanted, ranks), comm_.size());
    make_orders(*domains_);
    exchange_orders(*domains_);
    if (access_.write)
      write();
    else
      read();
    if (in_background_)
      request_ = start_in_background(access_.file, std::move(moved_), access_.write, outcome_.failure);
  }

  Outcome end() override {
    if (!domains_) return {};
    enter(access_.write ? CollectiveCall::write : CollectiveCall::read);
    if (request_ != nullptr) core::wait(request_);
    if (access_.write) {
      agree_on_failure();
    } else {
      exchange_replies(*domains_);
      take_replies(*domains_);
    }
    return std::move(outcome_);
  }

 private:
  /// A request of an aggregator.
  std::uint64_t access_run(const FilePiece& run, std::byte* data) {
    if (!in_background_) return move(access_.file, run, data, access_.write, outcome_.failure);
    const std::uint64_t bytes = move_data(access_.file, run, data, access_.write, outcome_.failure);
    if (bytes > 0) moved_.push_back({run.offset, bytes});
    return bytes;
  }

  /// The list of pieces of this rank's request, and the range that they lie in.
  void find_pieces() {
    auto add = [this](const FilePiece& piece) {
      low_ = std::min(low_, piece.offset);
      high_ = std::max(high_, piece.offset + piece.bytes);
      pieces_.push_back(piece);
    };
    Coalescer coalescer(true, add);
    access_.file.view.for_each_piece(access_.position, access_.bytes,
                                     [&coalescer](const FilePiece& piece) { coalescer.add(piece); });
    coalescer.finish();
  }

  /// Calls visit(domain, part of a piece) in stream order.
  template <class Visit>
  void for_each_part(const Domains& domains, Visit&& visit) const {
    for (FilePiece left : pieces_) {
      while (left.bytes > 0) {
        const std::uint64_t domain = domains.of(left.offset);
        const FilePiece part{left.offset, std::min(left.bytes, domains.end(domain) - left.offset)};
        visit(domain, part);
        left.offset += part.bytes;
        left.bytes -= part.bytes;
      }
    }
  }

  void make_orders(const Domains& domains) {
    orders_.resize(domains.count());
    for_each_part(domains,
                  [this](std::uint64_t domain, const FilePiece& part) { orders_[domain].add(part); });
    std::vector<std::byte*> ends;
    for (Order& order : orders_) {
      const std::uint64_t count = order.pieces.size();
      ends.push_back(nullptr);
      if (count == 0) continue;
      const std::uint64_t list_bytes = count * sizeof(FilePiece);
      order.message.resize(sizeof count + list_bytes + (access_.write ? order.data_bytes : 0));
      std::memcpy(order.message.data(), &count, sizeof count);
      std::memcpy(order.message.data() + sizeof count, order.pieces.data(), list_bytes);
      ends.back() = order.message.data() + sizeof count + list_bytes;
    }
    if (!access_.write) return;
    const std::byte* from = access_.data;
    for_each_part(domains, [&](std::uint64_t domain, const FilePiece& part) {
      std::memcpy(ends[domain], from, part.bytes);
      ends[domain] += part.bytes;
      from += part.bytes;
    });
    core::charge_copy(access_.bytes);
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

  void exchange_orders(const Domains& domains) {
    const auto ranks = static_cast<std::size_t>(comm_.size());
    std::vector<std::uint64_t> out(ranks);
    std::vector<std::uint64_t> in(ranks);
    for (std::uint64_t domain = 0; domain < domains.count(); ++domain)
      out[static_cast<std::size_t>(domains.rank_of(domain))] = orders_[domain].message.size();
    transpose(comm_, out, in);

    next_messages();
    received_.resize(ranks);
    std::vector<mpi::Request*> requests;
    for (int source = 0; source < comm_.size(); ++source) {
      std::vector<std::byte>& message = received_[static_cast<std::size_t>(source)];
      message.resize(in[static_cast<std::size_t>(source)]);
      if (!message.empty() && source != comm_.rank()) requests.push_back(receive(message, source));
    }
    for (std::uint64_t domain = 0; domain < domains.count(); ++domain) {
      const int aggregator = domains.rank_of(domain);
      Order& order = orders_[domain];
      if (order.message.empty()) continue;
      if (aggregator == comm_.rank())
        received_[static_cast<std::size_t>(aggregator)] = order.message;
      else
        requests.push_back(send(order.message, aggregator));
    }
    core::wait_all(requests);
  }

  /// The pieces that other ranks ask this one for, by place in the file; of equal ones by rank.
  std::vector<Part> sorted_parts() {
    std::vector<Part> parts;
    replies_.resize(received_.size());
    for (std::size_t source = 0; source < received_.size(); ++source) {
      std::vector<std::byte>& message = received_[source];
      if (message.empty()) continue;
      std::uint64_t count = 0;
      std::memcpy(&count, message.data(), sizeof count);
      std::vector<FilePiece> pieces(count);
      std::memcpy(pieces.data(), message.data() + sizeof count, count * sizeof(FilePiece));
      std::uint64_t data_bytes = 0;
      for (const FilePiece& piece : pieces) data_bytes += piece.bytes;
      std::byte* data = message.data() + sizeof count + count * sizeof(FilePiece);
      if (!access_.write) {
        replies_[source].resize(sizeof(ReplyHead) + data_bytes);
        data = replies_[source].data() + sizeof(ReplyHead);
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

  /// Calls visit(run, first part, behind the last part) for each run of touched bytes.
  template <class Visit>
  static void for_each_run(const std::vector<Part>& parts, Visit&& visit) {
    for (std::size_t first = 0; first < parts.size();) {
      std::uint64_t end = parts[first].end();
      std::size_t last = first + 1;
      for (; last < parts.size() && parts[last].piece.offset <= end; ++last)
        end = std::max(end, parts[last].end());
      visit(FilePiece{parts[first].piece.offset, end - parts[first].piece.offset}, &parts[first],
            parts.data() + last);
      first = last;
    }
  }

  void write() {
    for_each_run(sorted_parts(), [&](const FilePiece& run, const Part* part, const Part* end) {
      if (!outcome_.failure.ok()) return;
      std::unique_ptr<std::byte[]> joined;
      std::byte* data = part->data;
      if (end - part > 1) {
        joined = std::make_unique_for_overwrite<std::byte[]>(run.bytes);
        data = joined.get();
        for (; part != end; ++part)
          std::memcpy(joined.get() + (part->piece.offset - run.offset), part->data, part->piece.bytes);
        core::charge_copy(run.bytes);
      }
      access_run(run, data);
    });
  }

  void agree_on_failure() {
    std::uint64_t error_class[1] = {static_cast<std::uint64_t>(outcome_.failure.error_class)};
    maximum(comm_, error_class);
    if (outcome_.failure.ok()) outcome_.failure.error_class = static_cast<int>(error_class[0]);
    if (outcome_.failure.ok()) outcome_.bytes = access_.bytes;
  }

  void read() {
    for_each_run(sorted_parts(), [&](const FilePiece& run, const Part* part, const Part* end) {
      auto data = std::make_unique<std::byte[]>(run.bytes);
      const std::uint64_t moved = access_run(run, data.get());
      if (moved < run.bytes) head_.end = std::min(head_.end, run.offset + moved);
      for (; part != end; ++part)
        std::memcpy(part->data, data.get() + (part->piece.offset - run.offset), part->piece.bytes);
      core::charge_copy(run.bytes);
    });
    head_.error_class = static_cast<std::uint64_t>(outcome_.failure.error_class);
  }

  void exchange_replies(const Domains& domains) {
    next_messages();
    std::vector<mpi::Request*> requests;
    for (std::uint64_t domain = 0; domain < domains.count(); ++domain) {
      Order& order = orders_[domain];
      if (order.message.empty()) continue;
      order.reply.resize(sizeof(ReplyHead) + order.data_bytes);
      if (domains.rank_of(domain) != comm_.rank())
        requests.push_back(receive(order.reply, domains.rank_of(domain)));
    }
    for (std::size_t source = 0; source < replies_.size(); ++source) {
      std::vector<std::byte>& reply = replies_[source];
      if (reply.empty()) continue;
      std::memcpy(reply.data(), &head_, sizeof head_);
      if (static_cast<int>(source) != comm_.rank()) requests.push_back(send(reply, static_cast<int>(source)));
    }
    core::wait_all(requests);
    for (std::uint64_t domain = 0; domain < domains.count(); ++domain) {
      if (domains.rank_of(domain) == comm_.rank() && !orders_[domain].message.empty())
        orders_[domain].reply = std::move(replies_[static_cast<std::size_t>(comm_.rank())]);
    }
  }

  /// Data up to the end of the file goes to the caller.
  void take_replies(const Domains& domains) {
    std::vector<ReplyHead> heads(orders_.size());
    std::vector<const std::byte*> data(orders_.size());
    for (std::size_t domain = 0; domain < orders_.size(); ++domain) {
      const std::vector<std::byte>& reply = orders_[domain].reply;
      if (reply.empty()) continue;
      std::memcpy(&heads[domain], reply.data(), sizeof(ReplyHead));
      data[domain] = reply.data() + sizeof(ReplyHead);
      if (outcome_.failure.ok()) outcome_.failure.error_class = static_cast<int>(heads[domain].error_class);
    }
    bool ended = false;
    for_each_part(domains, [&](std::uint64_t domain, const FilePiece& part) {
      if (ended) return;
      const std::uint64_t end = heads[domain].end;
      const std::uint64_t there = end <= part.offset ? 0 : std::min(part.bytes, end - part.offset);
      std::memcpy(access_.data + outcome_.bytes, data[domain], there);
      data[domain] += part.bytes;
      outcome_.bytes += there;
      ended = there < part.bytes;
    });
    core::charge_copy(outcome_.bytes);
  }

  const Access access_;
  mpi::Communicator& comm_;
  const bool in_background_;
  std::optional<Domains> domains_;
  Outcome outcome_;
  ReplyHead head_;
  std::vector<FilePiece> moved_;  ///< by this rank as an aggregator, in the background
  mpi::Request* request_ = nullptr;
  std::vector<FilePiece> pieces_;
  std::uint64_t low_ = no_end;
  std::uint64_t high_ = 0;
  std::vector<Order> orders_;                     ///< to each aggregator
  std::vector<std::vector<std::byte>> received_;  ///< from each rank
  std::vector<std::vector<std::byte>> replies_;   ///< to each rank
  int tag_ = 0;
};

}  // namespace

std::unique_ptr<CollectiveAccess> make_two_phase(const Access& access, bool in_background) {
  return std::make_unique<TwoPhase>(access, in_background);
}

}  // namespace mpisim::pio
