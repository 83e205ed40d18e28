// The table of every key of a machine file.
#include <fmt/format.h>

#include "disk_models/queue_discipline.hpp"
#include "disk_models/registry.hpp"
#include "machine/modules.hpp"
#include "machine/processor_class.hpp"
#include "machine/service_schema.hpp"
#include "mpisim/collectives/selection.hpp"
#include "network_models/registry.hpp"
#include "pfssim/cache_policy.hpp"
#include "pfssim/layout.hpp"
#include "piosim/collective.hpp"

namespace mpisim::machine {

namespace {

using T = FieldType;

/// More would not fit into memory, let alone a machine room.
constexpr double most_io_nodes = 1e6;
constexpr double most_disks_per_node = 1000;
constexpr double most_read_ahead = 65536;
constexpr double most_chances = 255;

Field nodes_section() {
  return {
      .name = "nodes",
      .type = T::section,
      .meaning = "how many nodes there are",
      .fields = {{.name = "compute",
                  .type = T::integer,
                  .fallback = "auto",
                  .meaning = "nodes that run ranks; `auto`: as many as the ranks need",
                  .positive = true,
                  .words = {"auto"}},
                 {.name = "io",
                  .type = T::integer,
                  .fallback = "0",
                  .meaning = "nodes that serve files; numbered after the compute nodes",
                  .at_most = most_io_nodes},
                 {.name = "metadata",
                  .type = T::integer,
                  .fallback = "0",
                  .meaning = "nodes that serve calls about files (`io.model: pfs`), numbered after the I/O "
                             "nodes; 0: the first I/O node does",
                  .at_most = most_io_nodes},
                 {.name = "burst_buffer",
                  .type = T::integer,
                  .fallback = "0",
                  .meaning = "nodes with burst buffers (`io.burst_buffer` with `where: dedicated`), numbered "
                             "after the metadata servers",
                  .at_most = most_io_nodes}}};
}

Field placement_section() {
  return {.name = "placement",
          .type = T::section,
          .meaning = "which rank runs on which node",
          .fields = {
              {.name = "ranks_per_node",
               .type = T::integer,
               .fallback = "1",
               .meaning = "places for ranks on each compute node",
               .positive = true},
              {.name = "order",
               .type = T::choice,
               .fallback = "block",
               .meaning = "`block`: fill a node, then the next; `round-robin`: rank r on node r modulo nodes",
               .words = {"block", "round-robin"}}}};
}

/// Cost classes in the order of mpisim_cost_class (runtime/target_abi.h); fill_processor() gives their
/// defaults.
std::vector<Field> cost_fields() {
  const auto cost = [](const char* name, const char* meaning) {
    return Field{.name = name, .type = T::cost, .derived = "of the class", .meaning = meaning};
  };
  return {cost("int", "integer add, logic, compare, shift, address arithmetic"),
          cost("int_mul", "integer multiplication"),
          cost("int_div", "integer division and remainder"),
          cost("fp_add", "floating add, subtract, compare, conversion"),
          cost("fp_mul", "floating multiplication"),
          cost("fp_div", "floating division"),
          cost("memory", "load or store of arrays, through pointers, of global variables"),
          cost("branch", "loop iteration, condition, switch"),
          cost("call", "call of a function of the program"),
          cost("math", "sqrt, sin, exp, pow and the like"),
          cost("library", "other C library call"),
          cost("byte", "byte moved by memcpy, memset and the like")};
}

Field processor_section() {
  return {
      .name = "processor",
      .type = T::section,
      .meaning = "speed of sequential code",
      .fields = {
          {.name = "class",
           .type = T::choice,
           .derived = "`out-of-order-2020`; `in-order-1995` with a clock given up to 1 GHz",
           .meaning = "whose prices and clock are taken where the file gives none",
           .words = processor_class_names()},
          {.name = "clock",
           .type = T::frequency,
           .derived = "typical of the class",
           .meaning = "what `cycles` are counted in"},
          {.name = "score",
           .type = T::rate,
           .fallback = "auto",
           .meaning = "operations of the calibration kernel per second, for `--compute measured`; `auto`: "
                      "derived from the cost table",
           .words = {"auto"}},
          {.name = "cost",
           .type = T::section,
           .meaning = "prices of operations, for `--compute counted`",
           .fields = cost_fields()}}};
}

Field network_section() {
  Field section{
      .name = "network", .type = T::section, .meaning = "from message to arrival; see the models below"};
  section.required = true;
  Field node{.name = "node",
             .type = T::section,
             .meaning = "messages between ranks of one node; without it they cost what the network costs",
             .optional = true,
             .fields = {{.name = "latency",
                         .type = T::time,
                         .meaning = "time of an empty message inside a node",
                         .required = true},
                        {.name = "bandwidth",
                         .type = T::bandwidth,
                         .fallback = "infinite",
                         .meaning = "of a copy between two ranks of a node",
                         .words = {"infinite"}}}};
  section.fields = {std::move(node)};
  add_modules(section, network::models(), "", "which network model");
  return section;
}

Field collectives_section() {
  Field section{
      .name = "collectives",
      .type = T::section,
      .meaning =
          "algorithm of each collective operation: a name, or a list of rules of which the first that "
          "fits is used"};
  for (const mpi::CollectiveInfo& info : mpi::collective_operations()) {
    std::string meaning = "of " + std::string(info.call) + ":";
    for (const mpi::AlgorithmInfo& algorithm : info.algorithms)
      meaning += (&algorithm == &info.algorithms.front() ? " `" : ", `") + std::string(algorithm.name) + "`";
    section.fields.push_back(
        {.name = std::string(info.operation),
         .type = T::records,
         .meaning = meaning,
         .shorthand = "use",
         .fields = {{.name = "up_to",
                     .type = T::bytes,
                     .fallback = "infinite",
                     .meaning = "largest contribution of one rank, inclusive",
                     .words = {"infinite"}},
                    {.name = "up_to_ranks",
                     .type = T::integer,
                     .fallback = "infinite",
                     .meaning = "largest communicator, inclusive",
                     .words = {"infinite"}},
                    {.name = "use", .type = T::text, .meaning = "name of the algorithm", .required = true}}});
  }
  return section;
}

Field mpi_section() {
  const auto copy = [](const char* name, const char* meaning) {
    return Field{.name = name,
                 .type = T::bandwidth,
                 .fallback = "infinite",
                 .meaning = meaning,
                 .words = {"infinite"}};
  };
  const auto time = [](const char* name, const char* fallback, const char* meaning) {
    return Field{.name = name, .type = T::time, .fallback = fallback, .meaning = meaning};
  };
  return {
      .name = "mpi",
      .type = T::section,
      .meaning = "what the MPI library's software costs",
      .fields = {time("send_overhead", "0 s", "processor time of the sender for each message"),
                 time("receive_overhead", "0 s", "processor time of the receiver for each message"),
                 copy("send_copy", "rate of the copy into the library, eager messages only"),
                 copy("receive_copy", "rate of the copy out of the library, eager messages only"),
                 {.name = "reduce_cost",
                  .type = T::bandwidth,
                  .fallback = "10 GB/s",
                  .meaning = "rate at which the operands of a reduction are combined, bytes of the result",
                  .words = {"infinite"}},
                 time("call_overhead", "1 ns", "of every MPI call and clock read; at least 1 ns"),
                 time("poll_interval", "1 us",
                      "least cost of a fruitless poll where the rank waits for its success, most of any "
                      "other; at least 1 ns"),
                 {.name = "eager_limit",
                  .type = T::bytes,
                  .fallback = "64 KiB",
                  .meaning = "larger messages use the rendezvous protocol"},
                 {.name = "control_size",
                  .type = T::bytes,
                  .fallback = "0 B",
                  .meaning = "size of rendezvous requests, answers and acknowledgements in the network"},
                 {.name = "progress",
                  .type = T::choice,
                  .fallback = "asynchronous",
                  .meaning = "rendezvous is answered while the rank computes, or only inside its MPI calls",
                  .words = {"asynchronous", "in-calls"}},
                 collectives_section()}};
}

Field cache_fields(const char* name, const char* meaning) {
  Field section{
      .name = name,
      .type = T::section,
      .meaning = meaning,
      .optional = true,
      .fields = {
          {.name = "size", .type = T::bytes, .fallback = "1 MiB", .meaning = "of the cache; 0 B: none"},
          {.name = "block",
           .type = T::bytes,
           .fallback = "8 KiB",
           .meaning = "unit of caching, less than 4 GiB; the same for cnode and ionode",
           .positive = true},
          {.name = "associativity",
           .type = T::integer,
           .fallback = "full",
           .meaning = "blocks per set; 1: direct-mapped",
           .positive = true,
           .words = {"full"}},
          {.name = "write",
           .type = T::choice,
           .fallback = "through",
           .meaning = "write-through or write-back",
           .words = {"through", "back"}},
          {.name = "on_write_miss",
           .type = T::choice,
           .fallback = "around",
           .meaning = "write-allocate or write-around",
           .words = {"allocate", "around"}},
          {.name = "read_ahead",
           .type = T::integer,
           .fallback = "0",
           .meaning = "blocks that are read ahead of reads in order",
           .at_most = most_read_ahead},
          {.name = "flush_interval",
           .type = T::time,
           .fallback = "30 s",
           .meaning = "`write: back`: all changed blocks leave so long after the oldest change among them; "
                      "more than 0"},
          {.name = "high_water",
           .type = T::number,
           .fallback = "0.6",
           .meaning = "`write: back`: when more than this share of the blocks is changed, the request that "
                      "changed the last of them waits until the oldest have been written",
           .at_most = 1},
          {.name = "low_water",
           .type = T::number,
           .fallback = "0.3",
           .meaning = "`write: back`: share of the blocks that may stay changed then; at most high_water",
           .at_most = 1}}};
  return section;
}

Field io_node_cache() {
  Field section = cache_fields("ionode", "cache of an I/O node");
  section.fields.push_back(
      {.name = "divided",
       .type = T::flag,
       .fallback = "false",
       .meaning = "size is that of all I/O nodes' caches, which have equal parts of it"});
  return section;
}

Field cache_section() {
  return {
      .name = "cache",
      .type = T::section,
      .meaning = "caches of the parallel file system",
      .fields = {{.name = "policy",
                  .type = T::choice,
                  .fallback = "base",
                  .meaning = "how the caches cooperate",
                  .words = names_of(pfs::policies())},
                 {.name = "coordinated",
                  .type = T::number,
                  .fallback = "0.8",
                  .meaning = "share of each cnode cache that ionodes manage (policy `coordinated`)",
                  .at_most = 1},
                 {.name = "chances",
                  .type = T::integer,
                  .fallback = "2",
                  .meaning = "times that the last copy of a block is passed on (policy `n-chance`)",
                  .positive = true,
                  .at_most = most_chances},
                 {.name = "coherence",
                  .type = T::choice,
                  .fallback = "invalidate",
                  .meaning = "what a write does to the copies of other compute nodes; blocks to be written "
                             "back are invalidated anyway",
                  .words = {"invalidate", "update"}},
                 {.name = "memory_bandwidth",
                  .type = T::bandwidth,
                  .fallback = "400 MB/s",
                  .meaning = "rate of copies between a cache and a program or a message",
                  .words = {"infinite"}},
                 cache_fields("cnode", "cache of a compute node"),
                 io_node_cache()}};
}

Field disk_section() {
  std::string disciplines = "which of the requests that wait is served next (`io.model: pfs`):";
  for (const disk::Discipline& discipline : disk::disciplines())
    disciplines += fmt::format(" `{}`: {};", discipline.name, discipline.summary);
  disciplines.pop_back();
  Field section{.name = "disk",
                .type = T::section,
                .meaning = "disks of the I/O nodes (`io.model: disk`: of each rank); see the models below",
                .fields = {{.name = "per_node",
                            .type = T::integer,
                            .fallback = "1",
                            .meaning = "disks of each I/O node",
                            .positive = true,
                            .at_most = most_disks_per_node},
                           {.name = "queue",
                            .type = T::choice,
                            .fallback = "fcfs",
                            .meaning = std::move(disciplines),
                            .words = names_of(disk::disciplines())}}};
  add_modules(section, disk::models(), "analytic", "which disk model");
  return section;
}

Field layout_section() {
  Field section{.name = "layout",
                .type = T::section,
                .meaning = "which bytes of a file are on which disk (`io.model: pfs`); see the models below"};
  add_modules(section, pfs::layouts(), "striping", "which layout");
  return section;
}

Field raid_section() {
  return {
      .name = "raid",
      .type = T::section,
      .meaning = "array of equal disks in place of each disk of `io.disk`",
      .fields = {{.name = "level",
                  .type = T::choice,
                  .fallback = "none",
                  .meaning = "`none`: one disk; `0`: chunks go round the members; `1`: each member has all "
                             "data; `5`: a chunk of each row is the parity of the others",
                  .words = {"none", "0", "1", "5"}},
                 {.name = "members",
                  .type = T::integer,
                  .fallback = "5",
                  .meaning = "disks of an array: level 1 needs 2, level 5 needs 3",
                  .positive = true,
                  .at_most = most_disks_per_node},
                 {.name = "chunk",
                  .type = T::bytes,
                  .fallback = "64 KiB",
                  .meaning = "consecutive bytes on one member (levels 0 and 5)",
                  .positive = true}}};
}

Field write_buffer_section() {
  return {.name = "write_buffer",
          .type = T::section,
          .meaning =
              "of each I/O node without caches (`io.model: pfs`): writes of whole units are answered when "
              "they are in it",
          .fields = {{.name = "size", .type = T::bytes, .fallback = "0 B", .meaning = "`0 B`: there is none"},
                     {.name = "unit",
                      .type = T::bytes,
                      .fallback = "64 KiB",
                      .meaning = "other writes wait for the disk",
                      .positive = true},
                     {.name = "up_to",
                      .type = T::bytes,
                      .fallback = "256 KiB",
                      .meaning = "largest write to one disk that goes through it; at most its size",
                      .positive = true}}};
}

Field slow_disk_section() {
  const auto factor = [](const char* name, const char* meaning) {
    return Field{.name = name, .type = T::number, .fallback = "1", .meaning = meaning, .at_most = 1000};
  };
  return {.name = "slow_disk",
          .type = T::section,
          .meaning = "a fault: the disks of one I/O node take longer (`io.model: pfs`)",
          .fields = {{.name = "io_node",
                      .type = T::integer,
                      .fallback = "none",
                      .meaning = "which, from 0",
                      .at_most = most_io_nodes,
                      .words = {"none"}},
                     factor("reads", "so many times as long for each read; at least 1"),
                     factor("writes", "so many times as long for each write; at least 1")}};
}

Field local_disk_section() {
  return {.name = "local_disk",
          .type = T::section,
          .meaning = "disk for the program's own files (`posix: local`), an analytic one",
          .fields = {{.name = "overhead",
                      .type = T::time,
                      .fallback = "1.1 ms",
                      .meaning = "controller time of each request"},
                     {.name = "latency",
                      .type = T::time,
                      .fallback = "21 ms",
                      .meaning = "paid by each request that does not begin where the last one ended"},
                     {.name = "bandwidth",
                      .type = T::bandwidth,
                      .fallback = "2.3 MB/s",
                      .meaning = "rate from and to the medium"}}};
}

Field io_section() {
  return {
      .name = "io",
      .type = T::section,
      .meaning = "files and disks",
      .optional = true,
      .fields = {
          {.name = "model",
           .type = T::choice,
           .fallback = "disk",
           .meaning = "`disk`: each rank has a disk of its own; `pfs`: the parallel file system is simulated",
           .words = {"disk", "pfs"}},
          {.name = "service",
           .type = T::choice,
           .fallback = "requests",
           .meaning =
               "`requests`: I/O nodes serve requests as they come (`io.cache`); `objects`: they are object "
               "servers with extent locks, whose clients write back (`io.objects`); with `pfs`",
           .words = {"requests", "objects"}},
          {.name = "stripe_unit",
           .type = T::bytes,
           .fallback = "64 KiB",
           .meaning =
               "piece of a file on one disk; the hint `striping_unit` of whoever creates the file goes "
               "before it",
           .positive = true},
          {.name = "stripe_factor",
           .type = T::integer,
           .fallback = "all",
           .meaning = "disks that a file is on; the hint `striping_factor` goes before it",
           .positive = true,
           .at_most = pfs::most_cells,
           .words = {"all"}},
          {.name = "start_disk",
           .type = T::integer,
           .fallback = "spread",
           .meaning =
               "disk that a file begins on, from 0: I/O nodes first, then their second disks; `spread`: "
               "each file on the next one; the hint `start_iodevice` goes before it",
           .at_most = pfs::most_cells - 1,
           .words = {"spread"}},
          layout_section(),
          {.name = "collective",
           .type = T::choice,
           .fallback = "two-phase",
           .meaning = "implementation of collective reads and writes; the hint `mpisim_collective` of "
                      "MPI_File_open goes before it",
           .words = names_of(pio::collective_algorithms())},
          {.name = "group_size",
           .type = T::integer,
           .fallback = "4",
           .meaning = "`grouping`: ranks that access the file at the same time",
           .positive = true},
          {.name = "aggregators",
           .type = T::integer,
           .fallback = "all",
           .meaning = "ranks that access the file in a two-phase operation; the hint `cb_nodes` of "
                      "MPI_File_open goes before it",
           .positive = true,
           .words = {"all"}},
          {.name = "collective_buffer",
           .type = T::bytes,
           .fallback = "16 MiB",
           .meaning = "what an aggregator of a two-phase operation accesses in each round; the hint "
                      "`cb_buffer_size` of MPI_File_open goes before it",
           .positive = true,
           .words = {"infinite"}},
          {.name = "sieve_hole",
           .type = T::bytes,
           .fallback = "0 B",
           .meaning = "holes up to this size are read (and written back) with what is around them in "
                      "two-phase operations",
           .words = {"infinite"}},
          {.name = "open_cost",
           .type = T::time,
           .fallback = "22 ms",
           .meaning = "what each rank pays when it opens a file; with `pfs` the time of a metadata server's "
                      "thread"},
          {.name = "metadata_cost",
           .type = T::time,
           .fallback = "1 ms",
           .meaning = "what a rank pays when it closes or deletes a file, or asks for or sets its size; "
                      "with `pfs` the time of a metadata server's thread"},
          {.name = "client_overhead",
           .type = T::time,
           .fallback = "10 us",
           .meaning = "processor time of a compute node before a request leaves it, to the "
                      "file system (`pfs`) or to the server of shared file pointers and locks"},
          {.name = "server_overhead",
           .type = T::time,
           .fallback = "10 us",
           .meaning = "processor time of an I/O node (`pfs`), or of that server, for each "
                      "request that reaches it"},
          {.name = "header",
           .type = T::bytes,
           .fallback = "128 B",
           .meaning = "size in the network of such a request or its answer, besides the data"},
          {.name = "client_copy",
           .type = T::bandwidth,
           .fallback = "infinite",
           .meaning = "rate at which a compute node's processor copies data between programs and messages "
                      "to and from the file system (`pfs`, no caches at compute nodes)",
           .words = {"infinite"}},
          {.name = "request_limit",
           .type = T::bytes,
           .fallback = "infinite",
           .meaning = "most that one disk gets of a contiguous read or write at a time (`pfs`, no caches at "
                      "compute nodes); larger ones go in pieces",
           .positive = true,
           .words = {"infinite"}},
          {.name = "lock_step",
           .type = T::flag,
           .fallback = "true",
           .meaning = "the next piece leaves when the answers to the one before are there; else all at once"},
          write_buffer_section(),
          slow_disk_section(),
          {.name = "disk_bus",
           .type = T::bandwidth,
           .fallback = "infinite",
           .meaning = "rate of the bus that the disks of an I/O node share (`pfs`); `infinite`: they do not "
                      "wait for each other",
           .words = {"infinite"}},
          {.name = "coalesce",
           .type = T::flag,
           .fallback = "true",
           .meaning =
               "`true`: adjacent pieces of one request are merged before they leave the library; `false`: "
               "each run of the view's filetype is a piece; `etype`: each element of the view's etype is",
           .words = {"etype"}},
          {.name = "data",
           .type = T::choice,
           .fallback = "real",
           .meaning =
               "`real`: data moves between the program and real files; `none`: times and statistics are "
               "the same, but files have lengths only, and what a read brings is undefined",
           .words = {"real", "none"}},
          {.name = "posix",
           .type = T::choice,
           .fallback = "local",
           .meaning =
               "what the program's own POSIX and stdio files cost: `local`: a disk of each rank; `pfs`: as "
               "those of MPI-IO, whatever `model` is; `free`: nothing",
           .words = {"local", "pfs", "free"}},
          local_disk_section(),
          cache_section(),
          objects_section(),
          metadata_section(),
          burst_buffer_section(),
          disk_section(),
          raid_section()}};
}

Field whole_file() {
  Field version{.name = "schema_version", .type = T::integer, .meaning = "of this format: 1", .at_most = 1};
  version.required = true;
  version.positive = true;
  Field name{.name = "name", .type = T::text, .meaning = "of the machine, for reports"};
  name.required = true;
  return {
      .name = "",
      .type = T::section,
      .fields = {std::move(version),
                 std::move(name),
                 {.name = "description", .type = T::text, .meaning = "one line for `mpisim machine list`"},
                 nodes_section(),
                 placement_section(),
                 processor_section(),
                 network_section(),
                 mpi_section(),
                 io_section()}};
}

}  // namespace

const Field& machine_schema() {
  static const Field schema = whole_file();
  return schema;
}

}  // namespace mpisim::machine
