#include "network_models/hockney.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "network_models/registry.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

Hockney::Hockney(std::vector<HockneyPiece> pieces) : pieces_(std::move(pieces)) {
  if (pieces_.empty()) throw std::invalid_argument("pieces: needs at least one piece");
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].latency = at_least_1ps(pieces_[i].latency);
    if (i > 0 && pieces_[i].up_to <= pieces_[i - 1].up_to)
      throw std::invalid_argument("pieces: up_to must grow from piece to piece");
  }
  envelope_ = pieces_.front().latency;
  for (const HockneyPiece& each : pieces_) envelope_ = kernel::min(envelope_, each.latency);
}

const HockneyPiece& Hockney::piece(Bytes size) const {
  const auto found = std::find_if(pieces_.begin(), pieces_.end() - 1,
                                  [size](const HockneyPiece& each) { return size <= each.up_to; });
  return *found;
}

Flight Hockney::flight(NodeId /*from*/, NodeId /*to*/, Bytes size) const {
  const HockneyPiece& here = piece(size);
  const SimTime transfer = here.per_byte * size;
  return {transfer, transfer, envelope_, here.latency + transfer};
}

Intake Hockney::intake(Bytes size) const {
  return {piece(size).per_byte * size, SimTime::zero()};
}

std::string Hockney::describe() const {
  std::string text = "hockney:";
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    text += fmt::format("{} {} + size / {}", i == 0 ? "" : ";", kernel::to_string(pieces_[i].latency),
                        describe_bandwidth(pieces_[i].per_byte));
    if (i + 1 < pieces_.size()) text += fmt::format(" up to {} B", pieces_[i].up_to.count());
  }
  return text;
}

ModelInfo hockney_model() {
  return {"hockney",
          "latency + size / bandwidth, by pieces of size",
          {{"pieces",
            ParameterType::pieces,
            "",
            "by ascending size; the last piece holds for all larger messages",
            false,
            {{"up_to", ParameterType::bytes, "infinite", "largest message of this piece, inclusive", true},
             {"latency", ParameterType::time, "", "time of an empty message from port to port"},
             {"bandwidth", ParameterType::bandwidth, "", "asymptotic rate of this piece", true}}}},
          [](const Parameters& given) {
            std::vector<HockneyPiece> pieces;
            for (const auto& each : given.pieces("pieces"))
              pieces.push_back({each->bytes("up_to"), each->time("latency"), each->per_byte("bandwidth")});
            return std::make_unique<Hockney>(std::move(pieces));
          }};
}

}  // namespace mpisim::network
