// The configuration without an `io` section is what the schema's defaults say.
#include <catch2/catch.hpp>

#include "disk_models/simple.hpp"
#include "machine/catalogue.hpp"
#include "machine/description.hpp"
#include "pfssim/shapes.hpp"

using namespace mpisim;

namespace {

pio::Config configured(const char* machine, std::vector<std::string> overrides = {}) {
  const machine::Description description = machine::load(machine::find_machine(machine), {overrides, {}});
  return description.io_config(description.placement(4));
}

}  // namespace

TEST_CASE("defaults of the io section are those of PIO-SIM") {
  const pio::Config none = configured("ideal");
  const pio::Config some = configured("ideal", {"io.model=disk", "nodes.io=1"});
  CHECK(none.model == some.model);
  CHECK(none.collective == some.collective);
  CHECK(none.coalesce == some.coalesce);
  CHECK(none.aggregators == some.aggregators);
  CHECK(none.group_size == some.group_size);
  CHECK(none.collective_buffer == some.collective_buffer);
  CHECK(none.sieve_hole == some.sieve_hole);
  CHECK(none.open_cost == some.open_cost);
  CHECK(none.metadata_cost == some.metadata_cost);
  CHECK(none.posix == some.posix);
  CHECK(none.local_disk.overhead == some.local_disk.overhead);
  CHECK(none.local_disk.latency == some.local_disk.latency);
  CHECK(none.local_disk.transfer == some.local_disk.transfer);
  CHECK(none.pfs.io_nodes == some.pfs.io_nodes);
  CHECK(none.pfs.disks_per_node == some.pfs.disks_per_node);
  CHECK(none.pfs.stripe_unit == some.pfs.stripe_unit);
  CHECK(none.pfs.stripe_factor == some.pfs.stripe_factor);
  CHECK(none.pfs.start_disk == some.pfs.start_disk);
  CHECK(none.pfs.client_copy == some.pfs.client_copy);
  CHECK(none.pfs.request_limit == some.pfs.request_limit);
  CHECK(none.pfs.lock_step == some.pfs.lock_step);
  CHECK(none.pfs.write_buffer.size == some.pfs.write_buffer.size);
  CHECK(none.pfs.write_buffer.unit == some.pfs.write_buffer.unit);
  CHECK(none.pfs.write_buffer.up_to == some.pfs.write_buffer.up_to);
  CHECK(none.pfs.disk_bus == some.pfs.disk_bus);
  CHECK(none.pfs.slow_disk.io_node == some.pfs.slow_disk.io_node);
  CHECK(none.pfs.slow_disk.reads == some.pfs.slow_disk.reads);
  CHECK(none.pfs.slow_disk.writes == some.pfs.slow_disk.writes);
  const auto& layout_of_none = *none.pfs.layout;
  const auto& layout_of_some = *some.pfs.layout;
  CHECK(typeid(layout_of_none) == typeid(layout_of_some));
  CHECK(none.pfs.client_overhead == some.pfs.client_overhead);
  CHECK(none.pfs.server_overhead == some.pfs.server_overhead);
  CHECK(none.pfs.header == some.pfs.header);
  const pfs::ObjectParameters& none_of = none.pfs.objects;
  const pfs::ObjectParameters& some_of = some.pfs.objects;
  CHECK(none_of.on == some_of.on);
  CHECK(none_of.page == some_of.page);
  CHECK(none_of.rpc_size == some_of.rpc_size);
  CHECK(none_of.rpcs_in_flight == some_of.rpcs_in_flight);
  CHECK(none_of.max_dirty == some_of.max_dirty);
  CHECK(none_of.cache == some_of.cache);
  CHECK(none_of.read_ahead == some_of.read_ahead);
  CHECK(none_of.threads == some_of.threads);
  CHECK(none_of.lock_cost == some_of.lock_cost);
  CHECK(none_of.flush_interval == some_of.flush_interval);
  CHECK(none_of.flush_on_close == some_of.flush_on_close);
  CHECK(none_of.growth.backward == some_of.growth.backward);
  CHECK(none_of.growth.contended == some_of.growth.contended);
  CHECK(none_of.growth.growth == some_of.growth.growth);
  CHECK(none.pfs.metadata.servers == some.pfs.metadata.servers);
  CHECK(none.pfs.metadata.threads == some.pfs.metadata.threads);
  CHECK(none.pfs.metadata.create_cost == some.pfs.metadata.create_cost);
  CHECK(none.pfs.metadata.remove_cost == some.pfs.metadata.remove_cost);
  const auto one = none.disk();
  const auto other = some.disk();
  const auto& ours = dynamic_cast<const disk::Analytic&>(*one).parameters();
  const auto& theirs = dynamic_cast<const disk::Analytic&>(*other).parameters();
  CHECK(ours.overhead == theirs.overhead);
  CHECK(ours.latency == theirs.latency);
  CHECK(ours.transfer == theirs.transfer);
}

TEST_CASE("defaults of a simple disk are those of an HP 97560") {
  const auto disk = configured("ideal", {"io.disk.model=simple"}).disk();
  const auto& one = dynamic_cast<const disk::Simple&>(*disk).parameters();
  const disk::SimpleParameters other;
  CHECK(one.overhead == other.overhead);
  CHECK(one.seek(383) == other.seek(383));
  CHECK(one.seek(384) == other.seek(384));
  CHECK(one.seek(2) == other.seek(2));
  CHECK(one.cylinders == other.cylinders);
  CHECK(one.cylinder_size == other.cylinder_size);
  CHECK(one.sector == other.sector);
  CHECK(one.rotation == other.rotation);
  CHECK(one.turn == other.turn);
  CHECK(one.transfer == other.transfer);
}

TEST_CASE("values of the io section reach PIO-SIM and PFS-SIM") {
  const pio::Config config = configured("ideal", {"nodes.io=3",
                                                  "io.model=pfs",
                                                  "io.collective=barrier",
                                                  "io.coalesce=false",
                                                  "io.aggregators=3",
                                                  "io.collective_buffer=1 MiB",
                                                  "io.sieve_hole=2 KiB",
                                                  "io.stripe_unit=10 KiB",
                                                  "io.stripe_factor=4",
                                                  "io.start_disk=5",
                                                  "io.layout.model=vesta",
                                                  "io.layout.hbs=2",
                                                  "io.client_copy=1 GB/s",
                                                  "io.request_limit=1 MiB",
                                                  "io.lock_step=false",
                                                  "io.write_buffer={size: 3 MiB, unit: 4 KiB, up_to: 8 KiB}",
                                                  "io.slow_disk={io_node: 2, reads: 3, writes: 1.5}",
                                                  "io.disk_bus=10 MB/s",
                                                  "io.client_overhead=1 us",
                                                  "io.server_overhead=2 us",
                                                  "io.header=7 B",
                                                  "io.open_cost=3 ms",
                                                  "io.disk.model=simple",
                                                  "io.disk.per_node=2",
                                                  "io.disk.rotational_latency=position",
                                                  "io.disk.seek.far=9 ms"});
  CHECK(config.model == pio::Model::pfs);
  CHECK(config.collective == pio::Collective::barrier);
  CHECK(config.coalesce == pio::Coalesce::off);
  CHECK(configured("ideal", {"io.coalesce=etype"}).coalesce == pio::Coalesce::etype);
  CHECK(config.aggregators == 3);
  CHECK(config.collective_buffer == 1 << 20);
  CHECK(config.sieve_hole == 2048);
  const pfs::Parameters file_system = config.file_system();
  CHECK(file_system.io_nodes == 3);
  CHECK(file_system.first_io_node == 4);
  CHECK(file_system.disks_per_node == 2);
  CHECK(file_system.stripe_unit == 10240);
  CHECK(file_system.stripe_factor == 4);
  CHECK(file_system.start_disk == 5U);
  CHECK(file_system.client_copy == kernel::ByteTime::from_bandwidth(1e9));
  CHECK(file_system.request_limit == 1 << 20);
  CHECK_FALSE(file_system.lock_step);
  CHECK(file_system.write_buffer.size == 3 << 20);
  CHECK(file_system.write_buffer.unit == 4096);
  CHECK(file_system.write_buffer.up_to == 8192);
  CHECK(file_system.disk_bus == kernel::ByteTime::from_bandwidth(10e6));
  CHECK(file_system.slow_disk.io_node == 2U);
  CHECK(file_system.slow_disk.reads == 3);
  CHECK(file_system.slow_disk.writes == 1.5);
  CHECK(pfs::new_shape(file_system, {}, 0).own == std::array<std::uint16_t, 4>{1, 1, 2, 1});
  CHECK(file_system.client_overhead.ps() == 1'000'000);
  CHECK(file_system.server_overhead.ps() == 2'000'000);
  CHECK(file_system.header.count() == 7);
  CHECK(file_system.open_cost.ps() == 3'000'000'000);
  const auto disk = file_system.disk();
  const auto& drive = dynamic_cast<const disk::Simple&>(*disk).parameters();
  CHECK(drive.rotation == disk::Rotation::position);
  CHECK(drive.seek.far.ps() == 9'000'000'000);
}

TEST_CASE("defaults of caches are those of PFS-SIM") {
  const pfs::CachingParameters none;
  const pfs::CachingParameters some = configured("ideal", {"nodes.io=1", "io.model=pfs"}).pfs.caching;
  CHECK_FALSE(some.any());
  CHECK(some.policy == none.policy);
  CHECK(some.coordinated == none.coordinated);
  CHECK(some.chances == none.chances);
  CHECK(some.coherence == none.coherence);
  CHECK(some.copy == none.copy);
  const pfs::CachingParameters both =
      configured("ideal", {"nodes.io=1", "io.model=pfs", "io.cache.cnode.size=80 KiB",
                           "io.cache.ionode.associativity=4"})
          .pfs.caching;
  CHECK(both.block == none.block);
  CHECK(both.cnode.blocks == 10);
  CHECK(both.cnode.ways == none.cnode.ways);
  CHECK(both.ionode.blocks == 128);
  CHECK(both.ionode.ways == 4);
  const auto divided = configured("ideal", {"nodes.io=4", "io.model=pfs", "io.cache.ionode.divided=true"});
  CHECK(divided.pfs.caching.ionode.blocks == 32);
  CHECK(both.cnode.write_back == none.cnode.write_back);
  CHECK(both.cnode.allocate == none.cnode.allocate);
  CHECK(both.cnode.read_ahead == none.cnode.read_ahead);
  CHECK(both.cnode.flush_interval == none.cnode.flush_interval);
  CHECK(both.cnode.high_water == none.cnode.high_water);
  CHECK(both.cnode.low_water == none.cnode.low_water);
}

TEST_CASE("what cannot be simulated is refused") {
  const auto refused = [](std::vector<std::string> overrides, const char* message) {
    overrides.insert(overrides.begin(), {"nodes.io=2", "io.model=pfs"});
    CHECK_THROWS_WITH(configured("ideal", overrides), Catch::Contains(message));
  };
  refused({"io.disk.model=punched-cards"},
          "io.disk.model: `punched-cards` is not known; use one of analytic, simple, hp97560, zoned, nvme");
  refused({"io.cache.cnode.size=1 KiB"}, "io.cache.cnode.size: 1024 B are less than a block of 8192 B");
  refused({"io.cache.cnode.block=4 KiB", "io.cache.ionode.size=1 MiB"},
          "io.cache.ionode.block: must be that of io.cache.cnode: --set 'io.cache.ionode.block=4096 B'");
  refused({"io.cache.cnode.block=4 GiB"}, "io.cache.cnode.block: 4294967296 B are too much");
  refused({"io.cache.ionode.flush_interval=0 s"}, "io.cache.ionode.flush_interval: must be more than 0");
  refused({"io.cache.ionode.low_water=0.7"}, "io.cache.ionode.low_water: must be at most high_water");
  refused({"nodes.io=0"}, "io.model: pfs needs I/O nodes, nodes.io is 0: --set nodes.io=1");
  refused({"nodes.io=100000", "io.disk.per_node=1000"}, "is too large");
  refused({"io.disk.model=simple", "io.disk.sector=500 B"},
          "700416 B are no whole number of sectors of 500 B");
  refused({"io.raid.level=5", "io.raid.members=2"}, "io.raid.members: level 5 needs at least 3, not 2");
  refused({"io.raid.level=1", "io.raid.members=1"}, "io.raid.members: level 1 needs at least 2, not 1");
  refused({"io.raid.level=6"}, "io.raid.level: `6` is not known; use one of none, 0, 1, 5");
  refused({"io.disk.model=hp97560", "io.raid.level=0", "io.raid.chunk=2 GB"},
          "io.raid.chunk: 2000000000 B are more than a disk of 1374216192 B has");
  // Five members on disks without bounds: a row would be of 2^64 bytes, which wraps to none.
  refused(
      {"io.raid.level=5", "io.raid.members=5", "io.raid.chunk=4294967296 GiB"},
      "io.raid.chunk: 4611686018427387904 B on each of 5 members are too large; at most 17592186044416 B");
  refused({"io.raid.level=0", "io.raid.members=4", "io.raid.chunk=4398046511105 B"}, "are too large");
  CHECK_NOTHROW(
      configured("ideal", {"io.raid.level=0", "io.raid.members=4", "io.raid.chunk=4398046511104 B"}));
  CHECK_NOTHROW(configured("ideal", {"nodes.io=2", "io.model=pfs", "io.cache.cnode.size=0 B"}));
}

TEST_CASE("object servers: what does not fit together is refused with its mend") {
  const auto complaint = [](std::vector<std::string> overrides) -> std::string {
    try {
      configured("cluster-lustre", std::move(overrides));
    } catch (const machine::InvalidMachine& error) {
      return to_string(error.diagnostics().front());
    }
    return "";
  };
  CHECK(complaint({}).empty());
  CHECK(complaint({"io.objects.rpc_size=5000 B"}).find("no multiple of a page") != std::string::npos);
  CHECK(complaint({"io.objects.max_dirty=1 KiB"}).find("less than a page") != std::string::npos);
  CHECK(complaint({"io.objects.cache=64 KiB"}).find("less than rpc_size") != std::string::npos);
  CHECK(complaint({"io.objects.flush_interval=0 s"}).find("more than 0") != std::string::npos);
  CHECK(complaint({"io.cache.cnode.size=1 MiB"}).find("--set 'io.cache.cnode.size=0 B'") !=
        std::string::npos);
  CHECK(complaint({"io.cache.cnode.size=1 MiB", "io.service=requests"}).empty());
}
