#include "mpisim/rank_result.hpp"

#include <algorithm>

namespace mpisim::mpi {

void Spread::add(kernel::SimTime value) {
  sum += static_cast<unsigned __int128>(value.ps());
  min = std::min(min, value.ps());
  max = std::max(max, value.ps());
  ++count;
}

void Spread::add(const Spread& others) {
  sum += others.sum;
  min = std::min(min, others.min);
  max = std::max(max, others.max);
  count += others.count;
}

std::int64_t Spread::mean_ps() const {
  return count == 0 ? 0 : static_cast<std::int64_t>(sum / count);
}

void RankTotals::take_end(kernel::SimTime end, int rank) {
  if (ranks == 0 || end > finish || (end == finish && rank < last_rank)) last_rank = rank;
  finish = kernel::max(finish, end);
}

void RankTotals::take_failure(int rank, std::int32_t status) {
  if (status == 0 || (failed_rank >= 0 && failed_rank < rank)) return;
  failed_rank = rank;
  failed_status = status;
}

void RankTotals::add(const RankResult& result, int rank) {
  take_end(result.finish, rank);
  take_failure(rank, result.exit_status);
  compute.add(result.computing());
  point_to_point.add(result.in(CallKind::point_to_point));
  completion.add(result.in(CallKind::completion));
  collective.add(result.in(CallKind::collective));
  local.add(result.local());
  communication.add(result.communication());
  io.add(result.in(CallKind::input_output));
  messages += result.messages;
  bytes += result.bytes;
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += result.counters[i];
  ++ranks;
  waits += result.waits;
  running_ps += static_cast<unsigned __int128>((result.finish - result.waited).ps());
}

void RankTotals::add(const RankTotals& others) {
  if (others.ranks == 0) return;
  take_end(others.finish, others.last_rank);
  take_failure(others.failed_rank, others.failed_status);
  compute.add(others.compute);
  point_to_point.add(others.point_to_point);
  completion.add(others.completion);
  collective.add(others.collective);
  local.add(others.local);
  communication.add(others.communication);
  io.add(others.io);
  messages += others.messages;
  bytes += others.bytes;
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += others.counters[i];
  ranks += others.ranks;
  waits += others.waits;
  running_ps += others.running_ps;
}

double RankTotals::mean_run_seconds() const {
  return waits == 0 ? 0 : static_cast<double>(running_ps) * 1e-12 / static_cast<double>(waits);
}

}  // namespace mpisim::mpi
