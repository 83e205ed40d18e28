#pragma once
// Data representations of files (MPI-3.1 section 13.5): what stands in the file for the data in memory.
// "native" and "internal": the bytes of memory. "external32": big-endian, sizes fixed by the standard. Others
// are the program's own (MPI_Register_datarep).
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "mpisim/datatype.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::pio {

class Representation {
 public:
  virtual ~Representation() = default;
  Representation(const Representation&) = delete;
  Representation& operator=(const Representation&) = delete;

  const std::string& name() const { return name_; }
  /// Whether the file holds the bytes of memory.
  virtual bool native() const { return false; }
  /// The layout in the file of a datatype: its predefined types have the sizes of this representation, and
  /// displacements that were given in elements of a type are scaled with it (section 13.5.1).
  mpi::TypePointer layout(const mpi::Datatype& type) const;

  /// Converts `count` elements in memory to consecutive bytes, count * layout(type)->size() of them.
  /// `handle`: the program's, of `type`. Returns an MPI error class.
  virtual int to_file(const mpi::Datatype& type, MPI_Datatype handle, const void* memory, std::uint64_t count,
                      std::byte* file) const = 0;
  /// The reverse for the first `bytes` bytes, which may end inside an element; `memory_bytes` is told how
  /// much data of memory they were.
  virtual int from_file(const mpi::Datatype& type, MPI_Datatype handle, void* memory, std::uint64_t count,
                        const std::byte* file, std::uint64_t bytes, std::uint64_t& memory_bytes) const = 0;

 protected:
  explicit Representation(std::string name) : name_(std::move(name)) {}
  /// Bytes in the file of a predefined type.
  virtual std::uint64_t size_of(const mpi::Datatype& predefined) const = 0;

 private:
  std::string name_;
};

using RepresentationPointer = std::shared_ptr<const Representation>;

/// What a program registers.
struct Conversion {
  MPI_Datarep_conversion_function* read = nullptr;   ///< null: as "native"
  MPI_Datarep_conversion_function* write = nullptr;  ///< null: as "native"
  MPI_Datarep_extent_function* extent = nullptr;
  void* state = nullptr;
};

/// The representations that a rank knows.
class Representations {
 public:
  Representations();
  /// Null if there is none of this name.
  RepresentationPointer find(const std::string& name) const;
  /// False if there is one already.
  bool add(const std::string& name, const Conversion& conversion);

 private:
  std::map<std::string, RepresentationPointer> by_name_;
};

/// "native".
const RepresentationPointer& native_representation();

}  // namespace mpisim::pio
