// A magnetic drum: one fixed head for each track, so that nothing moves but the medium.
//
//   time = rotation + bytes / bandwidth
//
//   rotation    until the first byte comes by under its head: its angle is (address modulo bytes of a track)
//               at the rate of the medium, and the medium turns with `turn` since time 0
//   bandwidth   a track's bytes in one turn; changing heads between tracks takes no time
//
// Valid for requests within the drum. Cost: O(1). Source: the geometry; tests/unit/extending/drum_test.cpp
// compares the mean rotation with half a turn.
#include "disk_models/registry.hpp"

namespace mpisim::disk {

namespace {

struct DrumParameters {
  kernel::SimTime turn;     ///< time of one rotation, more than 0
  kernel::Bytes track;      ///< bytes under one head
  std::uint64_t heads = 0;  ///< tracks
};

class Drum final : public DiskModel {
 public:
  explicit Drum(const DrumParameters& parameters) : parameters_(parameters) {}

  Service serve(const Request& request, kernel::SimTime start) override {
    const std::int64_t turn = parameters_.turn.ps();
    const std::int64_t here = start.ps() % turn;
    const std::int64_t wanted = passing(request.address % parameters_.track.count()).ps();
    Service service;
    service.time = kernel::SimTime::picoseconds(wanted >= here ? wanted - here : wanted + turn - here) +
                   passing(request.bytes.count());
    service.seek = request.address != next_;
    next_ = request.address + request.bytes.count();
    return service;
  }

  Space space() const override { return {parameters_.heads * parameters_.track.count(), 1}; }

 private:
  /// How long so many bytes take to pass a head.
  kernel::SimTime passing(std::uint64_t bytes) const {
    const auto ps = static_cast<unsigned __int128>(bytes) *
                    static_cast<unsigned __int128>(parameters_.turn.ps()) / parameters_.track.count();
    return kernel::SimTime::picoseconds(static_cast<std::int64_t>(ps));
  }

  DrumParameters parameters_;
  std::uint64_t next_ = 0;
};

}  // namespace

Module drum_model() {
  return {"drum",
          "one fixed head for each track: rotation and transfer",
          {{"turn", ParameterType::time, "17.5 ms", "of one rotation"},
           {"track", ParameterType::bytes, "4 KiB", "bytes under one head"},
           {"heads", ParameterType::integer, "800", "tracks"}},
          [](const Parameters& given) {
            const DrumParameters parameters{given.time("turn"), given.bytes("track"), given.integer("heads")};
            if (parameters.turn.ps() == 0) throw std::invalid_argument("turn: must be more than 0");
            return factory<Drum>(parameters);
          }};
}

}  // namespace mpisim::disk
