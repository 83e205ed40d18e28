#pragma once
// The sections of a machine file about object servers, metadata servers and burst buffers.
#include "machine/schema.hpp"

namespace mpisim::machine {

Field objects_section();
Field metadata_section();
Field burst_buffer_section();

}  // namespace mpisim::machine
