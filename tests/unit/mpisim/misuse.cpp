// What is wrong with a program, or only odd: duplicate handles, ready sends, empty statuses, warnings of many
// ranks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <vector>

#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/matching.hpp"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::HarnessOptions;
using test::run_ranks;

namespace {

std::function<int(int)> program(std::function<int(int)> inner) {
  return [inner = std::move(inner)](int rank) {
    MPI_Init(nullptr, nullptr);
    const int status = inner(rank);
    MPI_Finalize();
    return status;
  };
}

void wait_until(double time) {
  while (MPI_Wtime() < time) {
  }
}

}  // namespace

TEST_CASE("a request that stands twice in one call is refused, and both calls leave it as it was") {
  const auto result = run_ranks(1, program([](int) {
                                  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
                                  int in = 0;
                                  int out = 5;
                                  MPI_Request request;
                                  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
                                  MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
                                  MPI_Request twice[2] = {request, request};
                                  int error_class = 0;
                                  MPI_Error_class(MPI_Waitall(2, twice, MPI_STATUSES_IGNORE), &error_class);
                                  if (error_class != MPI_ERR_REQUEST) return 1;
                                  MPI_Wait(&request, MPI_STATUS_IGNORE);
                                  return in == 5 && request == MPI_REQUEST_NULL ? 0 : 2;
                                }));
  CHECK(result.report == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("a ready send is warned of if its receive is posted later, and only then") {
  for (const bool late : {false, true}) {
    for (int hosts = 1; hosts <= 2; ++hosts) {
      HarnessOptions options;
      options.hosts = hosts;
      const auto result =
          run_ranks(2, program([late](int rank) {
                      int value = 0;
                      if (rank == 0) {
                        wait_until(1e-4);
                        return MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                      }
                      if (late) wait_until(2e-4);
                      return MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    }),
                    options);
      CHECK(result.exit_code == 0);
      if (late) {
        REQUIRE(result.warnings.size() == 1);
        CHECK_THAT(result.warnings[0], Catch::StartsWith("rank 0 sent in ready mode before"));
      } else {
        CHECK(result.warnings.empty());
      }
    }
  }
}

TEST_CASE("an empty status has MPI_SUCCESS") {
  const auto result = run_ranks(1, program([](int) {
                                  MPI_Request none = MPI_REQUEST_NULL;
                                  MPI_Status status;
                                  int flag = 0;
                                  int index = 0;
                                  int bad = 0;
                                  const auto check = [&] {
                                    bad += status.MPI_ERROR != MPI_SUCCESS ||
                                           status.MPI_SOURCE != MPI_ANY_SOURCE ||
                                           status.MPI_TAG != MPI_ANY_TAG;
                                    status.MPI_ERROR = status.MPI_SOURCE = status.MPI_TAG = 77;
                                  };
                                  status.MPI_ERROR = 77;
                                  MPI_Wait(&none, &status);
                                  check();
                                  MPI_Test(&none, &flag, &status);
                                  check();
                                  MPI_Waitany(1, &none, &index, &status);
                                  check();
                                  MPI_Testany(1, &none, &index, &flag, &status);
                                  check();
                                  MPI_Waitall(1, &none, &status);
                                  check();
                                  return bad;
                                }));
  CHECK(result.exit_code == 0);
}

namespace {

int freed_times = 0;
int nothing(void*, MPI_Status*) {
  return MPI_SUCCESS;
}
int count_free(void*) {
  ++freed_times;
  return MPI_SUCCESS;
}
int ignore_cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE("a generalized request that was freed while active lives until it is complete") {
  freed_times = 0;
  const auto result = run_ranks(1, program([](int) {
                                  MPI_Request request;
                                  MPI_Grequest_start(nothing, count_free, ignore_cancel, nullptr, &request);
                                  const MPI_Request handle = request;
                                  MPI_Request_free(&request);
                                  if (request != MPI_REQUEST_NULL || freed_times != 0) return 1;
                                  MPI_Grequest_complete(handle);
                                  return freed_times == 1 ? 0 : 2;
                                }));
  CHECK(result.report == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("a warning that many ranks give is one") {
  const auto result = run_ranks(64, [](int rank) {
    MPI_Init(nullptr, nullptr);
    if (rank == 5) MPI_Finalize();
    return 0;
  });
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0] == "63 ranks (rank 0 and others) ended with status 0 without MPI_Finalize");
}

TEST_CASE("figures of an aborted run do not depend on how far ranks ran ahead") {
  const auto body = program([](int rank) {
    // Ranks 2 and 3 go on without waiting for anybody, so a host runs them far beyond the abort.
    int value = 0;
    if (rank == 0) {
      wait_until(1e-4);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 1) return MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int step = 0; step < 1000; ++step)
      MPI_Sendrecv(&value, 1, MPI_INT, 5 - rank, 0, &value, 1, MPI_INT, 5 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    return 0;
  });
  std::vector<mpi::RankResult> first;
  for (int hosts = 1; hosts <= 3; ++hosts) {
    HarnessOptions options;
    options.hosts = hosts;
    const auto result = run_ranks(4, body, options);
    CHECK(result.end == mpi::End::abort);
    CHECK(result.exit_code == 3);
    if (first.empty()) first = result.ranks;
    REQUIRE(result.ranks.size() == first.size());
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
      CHECK(result.ranks[rank].finish == first[rank].finish);
      CHECK(result.ranks[rank].messages == first[rank].messages);
      CHECK(std::equal(std::begin(result.ranks[rank].in_calls), std::end(result.ranks[rank].in_calls),
                       std::begin(first[rank].in_calls)));
    }
  }
}

TEST_CASE("a heap of messages gives the smallest key after removals from anywhere") {
  std::vector<mpi::Message> messages(200);
  mpi::KeyHeap<&mpi::Message::heap_place> heap;
  std::uint32_t state = 12345;
  const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 8U; };
  for (auto& message : messages) {
    message.key = {kernel::SimTime::picoseconds(static_cast<std::int64_t>(next() % 50)), next() % 4, next()};
    heap.push(message);
  }
  std::vector<mpi::Message*> left;
  for (auto& message : messages) left.push_back(&message);
  while (!left.empty()) {
    const auto smallest =
        *std::min_element(left.begin(), left.end(),
                          [](const mpi::Message* a, const mpi::Message* b) { return a->key < b->key; });
    REQUIRE(&heap.front() == smallest);
    const std::size_t victim = next() % left.size();
    heap.remove(*left[victim]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(victim));
  }
  CHECK(heap.empty());
}

TEST_CASE("many communicators made and freed leave messages where they belong") {
  // More than a rank keeps queues of; one message of each kind stays unreceived for a while.
  const auto result =
      run_ranks(4, program([](int rank) {
                  std::vector<MPI_Comm> comms(50);
                  for (int round = 0; round < 4; ++round) {
                    for (std::size_t i = 0; i < comms.size(); ++i) {
                      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
                      const int value = round * 100 + static_cast<int>(i);
                      if (i % 5 == 0) MPI_Send(&value, 1, MPI_INT, (rank + 1) % 4, 1, comms[i]);
                    }
                    for (std::size_t i = comms.size(); i-- > 0;) {
                      int value = 0;
                      if (i % 5 == 0) {
                        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comms[i], MPI_STATUS_IGNORE);
                        if (value != round * 100 + static_cast<int>(i)) return 1;
                      }
                      MPI_Comm_free(&comms[i]);
                    }
                  }
                  return 0;
                }));
  CHECK(result.report == "");
  CHECK(result.exit_code == 0);
  CHECK(result.warnings.empty());
}

TEST_CASE("the limit of live objects of a kind ends the run") {
  const auto result = run_ranks(1, program([](int) {
                                  MPI_Info info;
                                  for (unsigned i = 0; i <= mpi::handle_bits::max_index; ++i)
                                    MPI_Info_create(&info);
                                  return 0;
                                }));
  CHECK(result.end == mpi::End::misuse);
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.report, Catch::Contains("1048576 live objects of the kind info object"));
}
