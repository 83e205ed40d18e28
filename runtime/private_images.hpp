#pragma once
// The copies of the program's private data, one per rank (see runtime/target_abi.h).
//
// All copies lie in one reservation of address space, rank after rank; a rank's part holds the copy of the
// executable's image, then those of the libraries. Zero pages cost nothing until touched; initialised pages
// are copied when a rank starts. With many ranks the copies of a small program share pages: each begins where
// the strictest alignment of the program's variables allows. Slots of the images that hold addresses of
// private data are found from the modules' dynamic relocations and relocated per rank. What constructors
// wrote before main is part of the image, and pointers that they stored in it are found by their values.
// Pointers to private data that constructors stored elsewhere (on the heap) go on pointing to the image,
// which no rank uses.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/module_registry.hpp"
#include "runtime/target_abi.h"

namespace mpisim::runtime {

/// Holds the private data of `count` ranks. While it lives, libraries' private data is displaced (their
/// `offset` and the entries of global offset tables that point to it); its end takes that back.
class PrivateImages {
 public:
  /// Throws std::runtime_error with the mend if the addresses cannot be reserved.
  explicit PrivateImages(std::size_t count);
  /// For tests: of these modules instead of the registered ones.
  PrivateImages(std::size_t count, std::vector<const mpisim_module*> modules);
  ~PrivateImages();
  PrivateImages(const PrivateImages&) = delete;
  PrivateImages& operator=(const PrivateImages&) = delete;

  /// Copies and relocates the data of the index-th rank of this host process; returns its segment base.
  std::uintptr_t initialise(std::size_t index);
  /// Gives the memory of a rank that has ended back to the system.
  void release(std::size_t index);
  /// Bytes that initialise() copies.
  std::size_t data_size() const;
  /// Bytes of address space of one rank: all modules' images.
  std::size_t image_size() const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

}  // namespace mpisim::runtime
