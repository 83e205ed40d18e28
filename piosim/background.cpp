#include "piosim/background.hpp"

#include <fmt/format.h>

#include <utility>

#include "mpisim/rank.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

Unfinished::Unfinished(File& file) : state_(rank_io()), handle_(file.handle) {
  ++file.unfinished;
}

Unfinished::~Unfinished() {
  --file().unfinished;
}

File& Unfinished::file() const {
  return *state_.files.find(handle_);
}

namespace {

class Background final : public mpi::BackgroundWork, public Completion {
 public:
  Background(mpi::Request& request, File& file, bool write, Failure failure)
      : rank_(mpi::current_rank()),
        request_(request),
        unfinished_(file),
        name_(file.name()),
        ledger_(rank_io().ledger),
        entry_(file.on_storage.entry),
        write_(write),
        failure_(std::move(failure)) {}

  int finish(mpi::core::Status& /*status*/) override {
    if (failure_.ok()) return MPI_SUCCESS;
    return raise_error(&unfinished_.file(), failure_.error_class,
                       fmt::format("{}: {}", describe(), failure_.text));
  }

  std::string describe() const override {
    return fmt::format("{} file \"{}\"", write_ ? "writing to" : "reading from", name_);
  }

  void done(kernel::SimTime at, const pfs::Tally& tally) override {
    count_tally(rank_.result().counters, tally);
    ledger_->files[entry_].counts.served.add(tally);
    rank_.complete_background(request_, at);  // may be the end of this object
  }

 private:
  mpi::Rank& rank_;
  mpi::Request& request_;
  Unfinished unfinished_;
  std::string name_;
  std::shared_ptr<RankLedger> ledger_;
  std::uint32_t entry_;
  bool write_;
  Failure failure_;
};

}  // namespace

mpi::Request* start_in_background(File& file, std::vector<FilePiece> moved, bool write,
                                  const Failure& failure) {
  mpi::Rank& rank = mpi::current_rank();
  mpi::Request* request =
      rank.make_request(mpi::Request::Kind::background, file.comm(), mpi::core::Plane::user);
  rank.start(*request);
  request->status.error = failure.error_class;
  auto* background = new Background(*request, file, write, failure);
  request->work = background;
  for (const FilePiece& piece : moved) count_request(file.on_storage, piece, write);
  if (moved.empty())
    rank.complete_background(*request, rank.now());
  else
    rank_io().storage->start(file.on_storage.number, std::move(moved), write, *background);
  return request;
}

}  // namespace mpisim::pio
