#include "machine/service_schema.hpp"

#include <utility>

#include "disk_models/registry.hpp"
#include "machine/modules.hpp"

namespace mpisim::machine {

namespace {

using T = FieldType;

constexpr double most_threads = 1e6;
constexpr double most_locks = 1e6;

}  // namespace

Field metadata_section() {
  return {.name = "metadata",
          .type = T::section,
          .meaning = "metadata servers (`io.model: pfs`)",
          .fields = {{.name = "threads",
                      .type = T::integer,
                      .fallback = "1",
                      .meaning = "of each server; open_cost and metadata_cost are times of a thread",
                      .positive = true,
                      .at_most = most_threads},
                     {.name = "create_cost",
                      .type = T::time,
                      .fallback = "0 ms",
                      .meaning = "beside open_cost, of a name that is opened for the first time in the run"},
                     {.name = "remove_cost",
                      .type = T::time,
                      .fallback = "0 ms",
                      .meaning = "beside metadata_cost, of a file that is deleted"}}};
}

Field objects_section() {
  return {
      .name = "objects",
      .type = T::section,
      .meaning = "object servers with extent locks and their clients (`io.service: objects`)",
      .fields = {
          {.name = "page",
           .type = T::bytes,
           .fallback = "4 KiB",
           .meaning = "unit of the clients' caches and of locks, less than 4 GiB",
           .positive = true},
          {.name = "rpc_size",
           .type = T::bytes,
           .fallback = "1 MiB",
           .meaning = "most bytes that a message between client and server moves; a multiple of page",
           .positive = true},
          {.name = "rpcs_in_flight",
           .type = T::integer,
           .fallback = "8",
           .meaning = "such messages of a client that are on their way to one disk or back",
           .positive = true,
           .at_most = most_threads},
          {.name = "max_dirty",
           .type = T::bytes,
           .fallback = "32 MiB",
           .meaning = "pages of a client that wait to be written to one disk, or are on their way; who would "
                      "write more waits",
           .positive = true},
          {.name = "cache",
           .type = T::bytes,
           .fallback = "256 MiB",
           .meaning = "pages of a client; at least rpc_size",
           .positive = true},
          {.name = "read_ahead",
           .type = T::bytes,
           .fallback = "0 B",
           .meaning = "what a client reads ahead of reads in order, on each disk"},
          {.name = "flush_interval",
           .type = T::time,
           .fallback = "5 s",
           .meaning =
               "all dirty pages of a client leave so long after the oldest change among them; more than 0"},
          {.name = "flush_on_close",
           .type = T::flag,
           .fallback = "false",
           .meaning =
               "the close of a file waits until what its node has written is on disk; else dirty pages "
               "stay, as Lustre's clients have it"},
          {.name = "threads",
           .type = T::integer,
           .fallback = "16",
           .meaning = "of a server, for messages that move data, and as many for those about locks",
           .positive = true,
           .at_most = most_threads},
          {.name = "lock_cost",
           .type = T::time,
           .fallback = "10 us",
           .meaning = "of a server's thread for a message about a lock"},
          {.name = "backward_locks",
           .type = T::integer,
           .fallback = "4",
           .meaning = "with more locks of others in an object than this, a lock does not grow downwards",
           .at_most = most_locks},
          {.name = "contended_locks",
           .type = T::integer,
           .fallback = "32",
           .meaning = "with more locks of others than this, a lock to write ends contended_growth after its "
                      "beginning",
           .at_most = most_locks},
          {.name = "contended_growth",
           .type = T::bytes,
           .fallback = "32 MiB",
           .meaning = "see contended_locks"}}};
}

Field burst_buffer_section() {
  Field device{
      .name = "device", .type = T::section, .meaning = "device of each buffer; models as of `io.disk`"};
  add_modules(device, disk::models(), "nvme", "which disk model");
  Field section{
      .name = "burst_buffer",
      .type = T::section,
      .meaning = "fast devices in front of the parallel file system",
      .optional = true,
      .fields = {{.name = "where",
                  .type = T::choice,
                  .fallback = "dedicated",
                  .meaning = "`dedicated`: on `nodes.burst_buffer` nodes, for all; `node-local`: one on each "
                             "compute node, for its own ranks",
                  .words = {"dedicated", "node-local"}},
                 {.name = "capacity",
                  .type = T::bytes,
                  .fallback = "1 TiB",
                  .meaning = "of each; at least transfer",
                  .positive = true},
                 {.name = "stripe",
                  .type = T::bytes,
                  .fallback = "8 MiB",
                  .meaning = "`dedicated`: consecutive bytes of a file on one buffer, less than 4 GiB",
                  .positive = true},
                 {.name = "transfer",
                  .type = T::bytes,
                  .fallback = "8 MiB",
                  .meaning = "most bytes that a write to the device or a drain moves at once",
                  .positive = true},
                 {.name = "drains",
                  .type = T::integer,
                  .fallback = "4",
                  .meaning = "transfers of a buffer to the file system below at a time",
                  .positive = true,
                  .at_most = most_threads},
                 {.name = "drain_bandwidth",
                  .type = T::bandwidth,
                  .fallback = "infinite",
                  .meaning = "most that a buffer drains",
                  .words = {"infinite"}},
                 {.name = "drain_delay",
                  .type = T::time,
                  .fallback = "1 s",
                  .meaning = "less than a transfer drains so long after it came, with what is before it in "
                             "its file; more than 0"},
                 {.name = "stage_out",
                  .type = T::choice,
                  .fallback = "asynchronous",
                  .meaning = "`close`: sync and close of a file wait until all of it is below (`node-local`: "
                             "always); `asynchronous`: they do not",
                  .words = {"asynchronous", "close"}},
                 std::move(device)}};
  return section;
}

}  // namespace mpisim::machine
