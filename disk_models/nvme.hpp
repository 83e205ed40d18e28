#pragma once
// A solid-state device on NVMe: channels of flash that work side by side behind one bus.
//
// A request is divided at multiples of `page` bytes; page p is on channel p mod channels. With t = start +
// overhead of the controller:
//
//   channel  serves one page after the other, in the order in which requests begin:
//            latency (of reads or of writes) + bytes / channel_bandwidth
//   read     pages begin at t; the bus is booked, one request after the other, from when the first page could
//            be there on free channels, for bytes / bus:
//            end = max(last page read + that page on the bus, end of the booking)
//   write    data come over the bus from t on, one request after the other; a page begins when its data are
//            there: end = last page written
//
// Up to queue_depth requests are served at once, others wait, first come, first served.
//
// Garbage collection, off by default (gc_interval 0 B): whenever a channel has written gc_interval bytes, it
// copies and erases for gc_pause before it serves another page.
//
// What follows for requests of one page of n bytes, which the tests compare: a request alone takes overhead +
// latency + n / channel_bandwidth + n / bus; many at once are served at channels / (latency + n /
// channel_bandwidth) or bus / n, whichever is less; with one channel, Poisson arrivals wait as in M/D/1, with
// many and a deep queue each channel is such a station.
//
// Source of the structure: N. Agrawal, V. Prabhakaran, T. Wobber, J. D. Davis, M. Manasse, R. Panigrahy,
// "Design tradeoffs for SSD performance", USENIX ATC 2008 (pages interleaved over units that work in
// parallel, a serial bus, cleaning). The defaults are round figures of a PCIe 3 device: 3 GB/s, about 80 us
// for a small read. Left out: a write buffer, mapping tables, wear, suspension of writes for reads. Valid for
// requests within the device. Cost: O(pages).
#include <vector>

#include "disk_models/disk_model.hpp"

namespace mpisim::disk {

struct NvmeParameters {
  std::uint64_t capacity = 0;  ///< bytes, at least a page
  std::uint64_t page = 1;      ///< bytes, at least 1
  std::uint32_t channels = 1;
  std::uint32_t queue_depth = 1;
  kernel::SimTime overhead;
  kernel::SimTime read_latency;
  kernel::SimTime write_latency;
  kernel::ByteTime channel;  ///< of each
  kernel::ByteTime bus;
  std::uint64_t gc_interval = 0;  ///< bytes of one channel; 0: no garbage collection
  kernel::SimTime gc_pause;
};

class Nvme final : public DiskModel {
 public:
  explicit Nvme(const NvmeParameters& parameters) : parameters_(parameters), channels_(parameters.channels) {}
  Service serve(const Request& request, kernel::SimTime start) override;
  Space space() const override { return {parameters_.capacity, parameters_.page}; }
  std::uint32_t depth() const override { return parameters_.queue_depth; }

 private:
  struct Channel {
    kernel::SimTime free;
    std::uint64_t written = 0;  ///< bytes since the last garbage collection
  };
  kernel::SimTime read(const Request& request, kernel::SimTime begin);
  kernel::SimTime write(const Request& request, kernel::SimTime begin);
  /// Calls visit(channel, bytes) for each page that the request touches.
  template <class Visit>
  void for_each_page(const Request& request, Visit&& visit);

  NvmeParameters parameters_;
  std::vector<Channel> channels_;
  kernel::SimTime bus_free_;
  std::uint64_t next_ = ~std::uint64_t{0};  ///< address where the last request ended
};

}  // namespace mpisim::disk
