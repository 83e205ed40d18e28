#pragma once
// The copies of the program's private data, one per rank (see runtime/target_abi.h).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/target_abi.h"

namespace mpisim::runtime {

/// Modules registered by their constructors, the executable first, then libraries in load order.
const std::vector<const mpisim_module*>& registered_modules();

/// Prices every block of every module: fills the modules' price sections. picoseconds has MPISIM_COST_CLASSES
/// entries.
void price_blocks(const std::vector<double>& picoseconds);

/// Holds the private data of `count` ranks. Zero pages cost nothing until touched; initialised pages are
/// copied when a rank starts. Slots that hold addresses of private data (found from the modules' relocations)
/// are relocated per rank.
class PrivateImages {
 public:
  explicit PrivateImages(std::size_t count);
  ~PrivateImages();
  PrivateImages(const PrivateImages&) = delete;
  PrivateImages& operator=(const PrivateImages&) = delete;

  /// Copies and relocates the data of the index-th rank of this host process; returns its segment base.
  std::uintptr_t initialise(std::size_t index);
  /// Gives the memory of a rank that has ended back to the system.
  void release(std::size_t index);
  /// Bytes of one copy: initialised data and all.
  std::size_t data_size() const;
  std::size_t image_size() const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

}  // namespace mpisim::runtime
