// The tree over which host processes agree, and the number that tells whether anything is under way.
#include "simkernel/host_tree.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace mpisim::kernel;

namespace {

/// What hosts have sent to and received from each other.
struct Counts {
  explicit Counts(std::size_t hosts)
      : sent(hosts, std::vector<std::uint64_t>(hosts)), received(hosts, std::vector<std::uint64_t>(hosts)) {}

  std::uint64_t balance() const {
    std::uint64_t sum = 0;
    for (std::size_t host = 0; host < sent.size(); ++host)
      sum += HostTree(static_cast<int>(host), static_cast<int>(sent.size()))
                 .balance_of(sent[host], received[host]);
    return sum;
  }

  std::vector<std::vector<std::uint64_t>> sent, received;
};

}  // namespace

TEST_CASE("every host has one way to host 0, and is the child of its parent") {
  for (const int hosts : {1, 2, 9, 10, 73, 74, 1024}) {
    CAPTURE(hosts);
    std::set<int> seen{0};
    for (int host = 0; host < hosts; ++host) {
      const HostTree tree(host, hosts);
      REQUIRE(tree.children().size() <= HostTree::fan_out);
      for (std::size_t i = 0; i < tree.children().size(); ++i) {
        const int child = tree.children()[i];
        REQUIRE(HostTree(child, hosts).parent() == host);
        REQUIRE(tree.child_index(child) == i);
        REQUIRE(seen.insert(child).second);
      }
    }
    CHECK(seen.size() == static_cast<std::size_t>(hosts));
    CHECK(HostTree(0, hosts).parent() == -1);
  }
}

TEST_CASE("with up to nine hosts all are neighbours of host 0") {
  for (int host = 1; host < 9; ++host) CHECK(HostTree(host, 9).parent() == 0);
  CHECK(HostTree(9, 10).parent() == 1);
}

TEST_CASE("the balance is zero when all that was sent has been received, and not otherwise") {
  Counts counts(12);
  CHECK(counts.balance() == 0);
  counts.sent[3][7] = counts.received[7][3] = 5;
  counts.sent[7][3] = counts.received[3][7] = 5;
  counts.sent[0][11] = counts.received[11][0] = 1'000'000'000'000;
  CHECK(counts.balance() == 0);
  ++counts.sent[0][11];
  CHECK(counts.balance() != 0);
  ++counts.received[11][0];
  CHECK(counts.balance() == 0);
}

TEST_CASE("what one pair has sent too much does not hide what another has received too early") {
  Counts counts(4);
  counts.sent[0][1] = 4;
  counts.received[1][0] = 3;  // one is under way
  counts.sent[2][3] = 3;
  counts.received[3][2] = 4;  // sent after the report of its sender
  CHECK(counts.balance() != 0);
  counts.sent[1][0] = 4;
  counts.received[0][1] = 3;
  CHECK(counts.balance() != 0);
}
