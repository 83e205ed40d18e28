// Point-to-point calls on a handful of ranks in this process.
#include <catch2/catch.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

#include "mpisim/handles.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::HarnessOptions;
using test::run_ranks;

namespace {

/// A program that initialises, runs `inner`, and finalises.
std::function<int(int)> program(std::function<int(int)> inner) {
  return [inner = std::move(inner)](int rank) {
    MPI_Init(nullptr, nullptr);
    const int status = inner(rank);
    MPI_Finalize();
    return status;
  };
}

}  // namespace

TEST_CASE("a ring of Sendrecv passes values round") {
  const auto result =
      run_ranks(5, program([](int rank) {
                  int size = 0;
                  MPI_Comm_size(MPI_COMM_WORLD, &size);
                  int value = rank;
                  for (int round = 0; round < size; ++round) {
                    int next = -1;
                    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 0, &next, 1, MPI_INT,
                                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    value = next;
                  }
                  return value == rank ? 0 : 1;
                }));
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);
  CHECK(result.totals.messages == 25);
  CHECK(result.totals.bytes == 100);
}

TEST_CASE("an eager message costs send overhead, network and receive overhead") {
  HarnessOptions options;
  options.config.send_overhead = 3_us;
  options.config.receive_overhead = 5_us;
  options.config.call_overhead = 1_ns;
  const auto result = run_ranks(2, program([](int rank) {
                                  char byte = 0;
                                  if (rank == 0) MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                                  if (rank == 1)
                                    MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                                  return 0;
                                }),
                                options);
  // Init 1 ns, Send 1 ns + 3 us, 1 us of network, 5 us, Finalize 1 ns.
  CHECK(result.predicted == 9_us + 3_ns);
}

TEST_CASE("a rendezvous adds a request and an answer") {
  HarnessOptions options;
  options.config.call_overhead = 1_ns;
  options.config.eager_limit = kernel::Bytes(10);
  const auto result =
      run_ranks(2, program([](int rank) {
                  std::vector<char> data(100, static_cast<char>(rank));
                  if (rank == 0) MPI_Send(data.data(), 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                  if (rank == 1)
                    MPI_Recv(data.data(), 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                  return data[99];
                }),
                options);
  CHECK(result.exit_code == 0);
  CHECK(result.predicted == 3_us + 3_ns);
}

TEST_CASE("a wildcard takes the earliest envelope, whatever the ranks' order") {
  const auto result =
      run_ranks(4, program([](int rank) {
                  if (rank == 0) {
                    int bad = 0;
                    for (int expect = 3; expect >= 1; --expect) {
                      int value = 0;
                      MPI_Status status;
                      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                      bad += status.MPI_SOURCE != expect || value != expect;
                    }
                    return bad;
                  }
                  // Rank 3 sends first, rank 1 last.
                  for (const double until = MPI_Wtime() + (4 - rank) * 1e-5; MPI_Wtime() < until;) {
                  }
                  MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
                  return 0;
                }));
  CHECK(result.exit_code == 0);
}

TEST_CASE("a receive whose message an earlier wildcard may still claim keeps later receives from the next") {
  for (int hosts = 1; hosts <= 2; ++hosts) {
    HarnessOptions options;
    options.cancels = false;
    options.hosts = hosts;
    const auto result =
        run_ranks(2, program([](int rank) {
                    if (rank == 1) {
                      const int tags[] = {7, 5, 5};
                      for (int value = 1; value <= 3; ++value)
                        MPI_Send(&value, 1, MPI_INT, 0, tags[value - 1], MPI_COMM_WORLD);
                      return 0;
                    }
                    int got[3] = {};
                    MPI_Request requests[3];
                    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
                    MPI_Irecv(&got[1], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
                    MPI_Irecv(&got[2], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[2]);
                    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
                    return got[0] * 100 + got[1] * 10 + got[2] == 123 ? 0 : 1;
                  }),
                  options);
    CHECK(result.end == mpi::End::finished);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("a receive that names its source leaves an earlier wildcard its message") {
  const auto result =
      run_ranks(3, program([](int rank) {
                  if (rank == 0) {
                    int any = 0;
                    int named = 0;
                    MPI_Request requests[2];
                    MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
                    MPI_Irecv(&named, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[1]);
                    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                    return any == 11 && named == 12 ? 0 : 1;
                  }
                  if (rank == 1) {
                    for (int value = 11; value <= 12; ++value)
                      MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
                  }
                  return 0;
                }));
  CHECK(result.exit_code == 0);
}

TEST_CASE("the cost of polling grows and polling ends when the message is there") {
  const auto result = run_ranks(2, program([](int rank) {
                                  int value = 0;
                                  if (rank == 0) {
                                    MPI_Request request;
                                    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                                    int done = 0;
                                    int polls = 0;
                                    for (; done == 0; ++polls) {
                                      mpi::current_rank().expect_wait();
                                      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                                    }
                                    return value == 42 && polls > 10 && polls < 200 ? 0 : 1;
                                  }
                                  for (const double until = MPI_Wtime() + 1e-3; MPI_Wtime() < until;) {
                                  }
                                  value = 42;
                                  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                                  return 0;
                                }));
  CHECK(result.exit_code == 0);
}

TEST_CASE("waiting for a time by reading the clock takes few reads and ends in time") {
  const auto result = run_ranks(2, program([](int rank) {
                                  const double begin = MPI_Wtime();
                                  int reads = 0;
                                  while (MPI_Wtime() - begin < 100.0) ++reads;
                                  const double waited = MPI_Wtime() - begin;
                                  if (waited > 100.3 || reads > 50'000) return 1;
                                  // Thousands of reads that wait for nothing take their usual time, also
                                  // after the wait.
                                  MPI_Barrier(MPI_COMM_WORLD);
                                  const double before = MPI_Wtime();
                                  for (int i = 0; i < 9'000; ++i) (void)MPI_Wtime();
                                  return MPI_Wtime() - before < 20e-6 ? 0 : 2 + rank;
                                }));
  CHECK(result.exit_code == 0);
}

TEST_CASE("a deadlock names calls, peers, tags and the cycle") {
  const auto result =
      run_ranks(3, program([](int rank) {
                  int value = 0;
                  return MPI_Recv(&value, 1, MPI_INT, (rank + 1) % 3, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }));
  CHECK(result.end == mpi::End::deadlock);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.report, Catch::Contains("MPI_Recv") && Catch::Contains("tag 77") &&
                                Catch::Contains("cycle: rank 0 waits for 1 waits for 2 waits for 0"));
}

TEST_CASE("a poll that can never succeed is a livelock") {
  const auto result = run_ranks(2, program([](int rank) {
                                  int value = 0;
                                  if (rank != 0) return 0;
                                  MPI_Request request;
                                  MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                                  for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                                  return 0;
                                }));
  CHECK(result.end == mpi::End::livelock);
  CHECK(result.exit_code == 3);
}

TEST_CASE("a message that is too long is misuse unless the program takes errors itself") {
  const auto send_and_receive = [](int rank) {
    int values[8] = {};
    if (rank == 0) MPI_Send(values, 8, MPI_INT, 1, 3, MPI_COMM_WORLD);
    return rank == 1 ? MPI_Recv(values, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) : 0;
  };
  const auto fatal = run_ranks(2, program(send_and_receive));
  CHECK(fatal.end == mpi::End::misuse);
  CHECK(fatal.exit_code == 5);
  CHECK_THAT(fatal.report, Catch::Contains("rank 1") && Catch::Contains("MPI_ERR_TRUNCATE"));
  const auto returned = run_ranks(
      2, program([&](int rank) {
        mpi::current_rank().handles().communicator(MPI_COMM_WORLD)->error_handler = MPI_ERRORS_RETURN;
        return send_and_receive(rank) == (rank == 1 ? MPI_ERR_TRUNCATE : 0) ? 0 : 1;
      }));
  CHECK(returned.end == mpi::End::finished);
  CHECK(returned.exit_code == 0);
}

TEST_CASE("MPI_Abort ends the run at its simulated time, with output up to then") {
  const auto result =
      run_ranks(2, program([](int rank) {
                  if (rank == 1) {
                    for (const double until = MPI_Wtime() + 1e-3; MPI_Wtime() < until;) {
                    }
                    MPI_Abort(MPI_COMM_WORLD, 11);
                  }
                  int value = 0;
                  return MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }));
  CHECK(result.end == mpi::End::abort);
  CHECK(result.exit_code == 11);
}

TEST_CASE("persistent requests, matched probes, cancel, buffered and synchronous sends") {
  const auto result =
      run_ranks(2, program([](int rank) {
                  int bad = 0;
                  int value = 0;
                  MPI_Request request;
                  if (rank == 0) {
                    MPI_Send_init(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
                    for (value = 0; value < 3; ++value) {
                      MPI_Start(&request);
                      MPI_Wait(&request, MPI_STATUS_IGNORE);
                    }
                    MPI_Request_free(&request);
                    std::vector<char> space(100 + MPI_BSEND_OVERHEAD);
                    MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
                    MPI_Bsend(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
                    void* detached = nullptr;
                    int size = 0;
                    MPI_Buffer_detach(&detached, &size);
                    bad += detached != space.data();
                    const double before = MPI_Wtime();
                    MPI_Ssend(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
                    bad += MPI_Wtime() - before < 1e-4;  // the receiver was late
                  } else {
                    MPI_Recv_init(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
                    for (int expect = 0; expect < 3; ++expect) {
                      MPI_Start(&request);
                      MPI_Status status;
                      MPI_Wait(&request, &status);
                      bad += value != expect || status.MPI_TAG != 5;
                    }
                    MPI_Request_free(&request);
                    MPI_Message message;
                    MPI_Status status;
                    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
                    bad += status.MPI_TAG != 6;
                    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
                    bad += value != 3;
                    MPI_Irecv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &request);
                    MPI_Cancel(&request);
                    int cancelled = 0;
                    MPI_Wait(&request, &status);
                    MPI_Test_cancelled(&status, &cancelled);
                    bad += cancelled != 1;
                    for (const double until = MPI_Wtime() + 2e-4; MPI_Wtime() < until;) {
                    }
                    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                  }
                  return bad;
                }));
  CHECK(result.end == mpi::End::finished);
  CHECK(result.report.empty());
  CHECK(result.exit_code == 0);
}

TEST_CASE("a small message does not overtake a large one") {
  const auto result = run_ranks(
      2, program([](int rank) {
        std::vector<char> large(1 << 20);
        char small = 7;
        if (rank == 0) {
          MPI_Request requests[2];
          MPI_Isend(large.data(), 1 << 20, MPI_CHAR, 1, 50, MPI_COMM_WORLD, &requests[0]);
          MPI_Isend(&small, 1, MPI_CHAR, 1, 51, MPI_COMM_WORLD, &requests[1]);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
          return 0;
        }
        MPI_Status first;
        MPI_Status second;
        MPI_Recv(large.data(), 1 << 20, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &first);
        MPI_Recv(&small, 1, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &second);
        return first.MPI_TAG == 50 && second.MPI_TAG == 51 ? 0 : 1;
      }));
  CHECK(result.exit_code == 0);
}

TEST_CASE("collectives that do not fit together are misuse even if nobody waits for ever") {
  const auto result =
      run_ranks(2, program([](int rank) {
                  int value = rank;
                  return MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD);  // each is its own root
                }));
  CHECK(result.end == mpi::End::misuse);
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.report, Catch::Contains("mismatched collectives") && Catch::Contains("MPI_Bcast"));
}

TEST_CASE("messages that nobody receives are warned of") {
  const auto result = run_ranks(2, program([](int rank) {
                                  int value = rank;
                                  return rank == 0 ? MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD) : 0;
                                }));
  CHECK(result.end == mpi::End::finished);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0],
             Catch::Contains("rank 1 never received 1 message, the first from rank 0 with tag 9"));
}

TEST_CASE("output comes in the order of simulated time, however early it is written") {
  std::string expected;
  for (int step = 0; step < 20; ++step) {
    for (int rank = 0; rank < 4; ++rank) expected += static_cast<char>('a' + rank);
  }
  const auto print_in_turns = program([](int rank) {
    for (int step = 0; step < 20; ++step) {
      const double until = 1e-3 * step + 1e-4 * (rank + 1);
      while (MPI_Wtime() < until) {
      }
      const char letter = static_cast<char>('a' + rank);
      mpi::current_rank().write_output(1, &letter, 1);
    }
    return 0;
  });
  for (int hosts = 1; hosts <= 2; ++hosts) {
    HarnessOptions options;
    options.hosts = hosts;
    CHECK(run_ranks(4, print_in_turns, options).output == expected);
  }
}

TEST_CASE("an error belongs to the communicator of the operation, even of one freed meanwhile") {
  const auto result = run_ranks(2, program([](int rank) {
                                  int values[2] = {1, 2};
                                  MPI_Comm own;
                                  MPI_Comm_dup(MPI_COMM_WORLD, &own);
                                  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
                                  if (rank == 0) {
                                    MPI_Send(values, 2, MPI_INT, 1, 1, own);
                                    return MPI_Comm_free(&own);
                                  }
                                  MPI_Message message;
                                  MPI_Mprobe(0, 1, own, &message, MPI_STATUS_IGNORE);
                                  const int error =
                                      MPI_Mrecv(values, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
                                  MPI_Comm_free(&own);
                                  return error == MPI_ERR_TRUNCATE ? 0 : 1;
                                }));
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);

  const auto freed = run_ranks(2, program([](int rank) {
                                 int values[2] = {1, 2};
                                 MPI_Comm own;
                                 MPI_Comm_dup(MPI_COMM_WORLD, &own);
                                 MPI_Request request;
                                 if (rank == 0) {
                                   MPI_Isend(values, 2, MPI_INT, 1, 1, own, &request);
                                 } else {
                                   MPI_Irecv(values, 1, MPI_INT, 0, 1, own, &request);
                                 }
                                 MPI_Comm_free(&own);
                                 return MPI_Wait(&request, MPI_STATUS_IGNORE);
                               }));
  CHECK(freed.end == mpi::End::misuse);
  CHECK_THAT(freed.report, Catch::Contains("longer than the receive buffer"));
}

TEST_CASE("a persistent buffered send needs room in the attached buffer when it starts") {
  const auto result = run_ranks(1, program([](int) {
                                  int value = 0;
                                  MPI_Request request;
                                  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
                                  MPI_Bsend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
                                  const int error = MPI_Start(&request);
                                  MPI_Request_free(&request);
                                  return error == MPI_ERR_BUFFER ? 0 : 1;
                                }));
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);
}

TEST_CASE("MPI_Request_get_status asks a generalized request for its status") {
  const auto result = run_ranks(1, program([](int) {
                                  static const auto query = [](void*, MPI_Status* status) {
                                    MPI_Status_set_elements(status, MPI_INT, 5);
                                    return MPI_Status_set_cancelled(status, 0);
                                  };
                                  static const auto nothing = [](void*) { return MPI_SUCCESS; };
                                  static const auto cancel = [](void*, int) { return MPI_SUCCESS; };
                                  MPI_Request request;
                                  MPI_Grequest_start(query, nothing, cancel, nullptr, &request);
                                  MPI_Grequest_complete(request);
                                  MPI_Status status;
                                  int flag = 0;
                                  int count = 0;
                                  MPI_Request_get_status(request, &flag, &status);
                                  MPI_Get_count(&status, MPI_INT, &count);
                                  MPI_Wait(&request, MPI_STATUS_IGNORE);
                                  return flag == 1 && count == 5 ? 0 : 1;
                                }));
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);
}
