#pragma once
// Which variables of a unit each rank has its own of, seen in its IR.
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace mpisim::preprocessor {

enum class Placement {
  per_rank,  ///< one copy per rank
  shared,    ///< a constant, or something of the linker, a system library or this compiler: accessed as it is
  library,   ///< belongs to the C library, but each rank has its own: an accessor of libmpisim finds it
};

/// Private: every variable, save what follows. Shared: constants with internal linkage whose initial value
/// holds no address of private data, and what unit_facts() calls foreign. Constants with external linkage are
/// private, since other units that see only a declaration must come to the same conclusion.
class Placements {
 public:
  explicit Placements(const llvm::Module& module);

  Placement of(const llvm::GlobalValue& variable) const;
  bool is_private(const llvm::Value* value) const { return private_.contains(value); }
  /// True for what the unit only declares and takes for a variable of a system library, or for a symbol of
  /// the linker.
  static bool is_foreign(const llvm::GlobalVariable& variable);
  /// True if the variable is a constant whose value needs no relocation, so that reading the image gives what
  /// reading a rank's copy gives.
  bool readable_in_image(const llvm::GlobalValue& variable) const;
  /// The name under which libmpisim knows a variable of placement library, or that the program defines in its
  /// place; empty for all others.
  static llvm::StringRef library_name(llvm::StringRef variable);

 private:
  bool holds_private_address(const llvm::Constant* value) const;

  llvm::SmallPtrSet<const llvm::Value*, 32> private_;
  llvm::SmallPtrSet<const llvm::Value*, 8> library_;
};

}  // namespace mpisim::preprocessor
