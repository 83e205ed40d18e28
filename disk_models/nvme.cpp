#include "disk_models/nvme.hpp"

#include <algorithm>
#include <stdexcept>

#include "disk_models/registry.hpp"

namespace mpisim::disk {

using kernel::Bytes;
using kernel::SimTime;

template <class Visit>
void Nvme::for_each_page(const Request& request, Visit&& visit) {
  const std::uint64_t end = request.address + request.bytes.count();
  for (std::uint64_t at = request.address; at < end;) {
    const std::uint64_t page = at / parameters_.page;
    const std::uint64_t next = std::min(end, (page + 1) * parameters_.page);
    visit(channels_[page % channels_.size()], Bytes(next - at));
    at = next;
  }
}

Service Nvme::serve(const Request& request, SimTime start) {
  Service service;
  service.seek = request.address != next_;
  next_ = request.address + request.bytes.count();
  const SimTime begin = start + parameters_.overhead;
  SimTime end = begin;
  if (request.bytes.count() > 0) end = request.write ? write(request, begin) : read(request, begin);
  service.time = end - start;
  return service;
}

SimTime Nvme::read(const Request& request, SimTime begin) {
  SimTime end = begin;
  SimTime earliest = SimTime::infinity();
  for_each_page(request, [&](Channel& channel, Bytes bytes) {
    const SimTime takes = parameters_.read_latency + parameters_.channel * bytes;
    channel.free = kernel::max(channel.free, begin) + takes;
    end = kernel::max(end, channel.free + parameters_.bus * bytes);
    earliest = kernel::min(earliest, begin + takes);
  });
  bus_free_ = kernel::max(bus_free_, earliest) + parameters_.bus * request.bytes;
  return kernel::max(end, bus_free_);
}

SimTime Nvme::write(const Request& request, SimTime begin) {
  SimTime end = begin;
  bus_free_ = kernel::max(bus_free_, begin);
  for_each_page(request, [&](Channel& channel, Bytes bytes) {
    bus_free_ += parameters_.bus * bytes;
    channel.free =
        kernel::max(channel.free, bus_free_) + parameters_.write_latency + parameters_.channel * bytes;
    end = kernel::max(end, channel.free);
    if (parameters_.gc_interval == 0) return;
    channel.written += bytes.count();
    for (; channel.written >= parameters_.gc_interval; channel.written -= parameters_.gc_interval)
      channel.free += parameters_.gc_pause;
  });
  return end;
}

namespace {

constexpr double most_channels = 65536;
constexpr double most_queued = 65536;

Factory build(const Parameters& given) {
  NvmeParameters parameters;
  parameters.capacity = given.bytes("capacity").count();
  parameters.page = given.bytes("page").count();
  parameters.channels = static_cast<std::uint32_t>(given.integer("channels"));
  parameters.queue_depth = static_cast<std::uint32_t>(given.integer("queue_depth"));
  parameters.overhead = given.time("overhead");
  parameters.read_latency = given.time("read_latency");
  parameters.write_latency = given.time("write_latency");
  parameters.channel = given.per_byte("channel_bandwidth");
  parameters.bus = given.per_byte("bus");
  parameters.gc_interval = given.bytes("gc_interval").count();
  parameters.gc_pause = given.time("gc_pause");
  if (parameters.capacity < parameters.page) throw std::invalid_argument("capacity: less than a page");
  if (parameters.gc_interval > 0 && parameters.gc_interval < parameters.page)
    throw std::invalid_argument("gc_interval: less than a page");
  return factory<Nvme>(parameters);
}

}  // namespace

Module nvme_model() {
  Parameter channels{"channels", ParameterType::integer, "32", "units that work side by side"};
  channels.at_most = most_channels;
  Parameter depth{"queue_depth", ParameterType::integer, "32", "requests that are served at once"};
  depth.at_most = most_queued;
  Parameter interval{"gc_interval", ParameterType::bytes, "0 B",
                     "garbage collection whenever a channel has written so much; 0 B: never"};
  interval.zero = true;
  return {"nvme",
          "a solid-state device: channels that work side by side behind one bus",
          {{"capacity", ParameterType::bytes, "1 TB", "of the device"},
           {"page", ParameterType::bytes, "16 KiB", "consecutive bytes on one channel"},
           std::move(channels),
           std::move(depth),
           {"overhead", ParameterType::time, "5 us", "controller time of each request"},
           {"read_latency", ParameterType::time, "65 us", "of a page, before its data"},
           {"write_latency", ParameterType::time, "100 us", "of a page, besides its data"},
           {"channel_bandwidth", ParameterType::bandwidth, "400 MB/s", "of each channel"},
           {"bus", ParameterType::bandwidth, "3 GB/s", "of the device", true},
           std::move(interval),
           {"gc_pause", ParameterType::time, "5 ms", "of a garbage collection, for its channel"}},
          build};
}

}  // namespace mpisim::disk
