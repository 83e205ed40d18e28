#include "piosim/representation.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mpisim/external32.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/type_description.hpp"
#include "mpisim/type_layouts.hpp"

namespace mpisim::pio {

using mpi::Datatype;
using mpi::TypeDescription;
using mpi::TypePointer;

namespace {

std::vector<std::int64_t> scaled(std::span<const int> displacements, std::int64_t unit) {
  std::vector<std::int64_t> bytes;
  for (const int displacement : displacements) bytes.push_back(displacement * unit);
  return bytes;
}

std::span<const int> part(const std::vector<int>& integers, std::size_t first, std::size_t count) {
  return std::span(integers).subspan(first, count);
}

/// The type that the same constructor makes of other old types.
TypePointer remake(const TypeDescription& how, const std::vector<TypePointer>& old) {
  const std::vector<int>& n = how.integers;
  const Datatype& first = *old.front();
  const auto count = [&n](std::size_t i) { return static_cast<std::uint64_t>(n[i]); };
  switch (how.combiner) {
    case MPI_COMBINER_DUP:
      return TypePointer::share(first);
    case MPI_COMBINER_CONTIGUOUS:
      return mpi::make_contiguous(count(0), first);
    case MPI_COMBINER_VECTOR:
      return mpi::make_vector(count(0), count(1), n[2] * first.extent(), first);
    case MPI_COMBINER_HVECTOR:
      return mpi::make_vector(count(0), count(1), how.addresses[0], first);
    case MPI_COMBINER_INDEXED:
      return mpi::make_indexed(part(n, 1, count(0)), scaled(part(n, 1 + count(0), count(0)), first.extent()),
                               first);
    case MPI_COMBINER_HINDEXED:
      return mpi::make_indexed(part(n, 1, count(0)), {how.addresses.begin(), how.addresses.end()}, first);
    case MPI_COMBINER_INDEXED_BLOCK:
      return mpi::make_indexed_block(count(1), scaled(part(n, 2, count(0)), first.extent()), first);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return mpi::make_indexed_block(count(1), {how.addresses.begin(), how.addresses.end()}, first);
    case MPI_COMBINER_STRUCT: {
      std::vector<const Datatype*> types;
      types.reserve(old.size());
      for (const TypePointer& type : old) types.push_back(type.get());
      const std::vector<std::int64_t> bytes(how.addresses.begin(), how.addresses.end());
      return mpi::make_struct(part(n, 1, count(0)), bytes, types);
    }
    case MPI_COMBINER_SUBARRAY: {
      const std::size_t d = count(0);
      return mpi::make_subarray(part(n, 1, d), part(n, 1 + d, d), part(n, 1 + 2 * d, d), n[1 + 3 * d], first);
    }
    case MPI_COMBINER_DARRAY: {
      const std::size_t d = count(2);
      return mpi::make_darray(n[1], part(n, 3, d), part(n, 3 + d, d), part(n, 3 + 2 * d, d),
                              part(n, 3 + 3 * d, d), n[3 + 4 * d], first);
    }
    default:  // MPI_COMBINER_RESIZED: bounds in bytes are the program's affair
      return mpi::make_resized(first, how.addresses[0], how.addresses[1]);
  }
}

class Native final : public Representation {
 public:
  explicit Native(std::string name) : Representation(std::move(name)) {}
  bool native() const override { return true; }
  int to_file(const Datatype& type, MPI_Datatype, const void* memory, std::uint64_t count,
              std::byte* file) const override {
    type.pack(memory, count, 0, count * type.size(), file);
    return MPI_SUCCESS;
  }
  int from_file(const Datatype& type, MPI_Datatype, void* memory, std::uint64_t count, const std::byte* file,
                std::uint64_t bytes, std::uint64_t& memory_bytes) const override {
    type.unpack(memory, count, 0, bytes, file);
    memory_bytes = bytes;
    return MPI_SUCCESS;
  }

 private:
  std::uint64_t size_of(const Datatype& predefined) const override { return predefined.size(); }
};

class External32 final : public Representation {
 public:
  External32() : Representation("external32") {}
  int to_file(const Datatype& type, MPI_Datatype, const void* memory, std::uint64_t count,
              std::byte* file) const override {
    mpi::pack_external(type, memory, count, reinterpret_cast<unsigned char*>(file));
    return MPI_SUCCESS;
  }
  int from_file(const Datatype& type, MPI_Datatype, void* memory, std::uint64_t count, const std::byte* file,
                std::uint64_t bytes, std::uint64_t& memory_bytes) const override {
    memory_bytes =
        mpi::unpack_external_part(type, memory, count, reinterpret_cast<const unsigned char*>(file), bytes);
    return MPI_SUCCESS;
  }

 private:
  std::uint64_t size_of(const Datatype& predefined) const override { return mpi::external_size(predefined); }
};

class Registered final : public Representation {
 public:
  Registered(std::string name, const Conversion& conversion)
      : Representation(std::move(name)), conversion_(conversion) {}

  int to_file(const Datatype& type, MPI_Datatype handle, const void* memory, std::uint64_t count,
              std::byte* file) const override {
    if (conversion_.write == nullptr) {
      type.pack(memory, count, 0, count * std::min(type.size(), layout(type)->size()), file);
      return MPI_SUCCESS;
    }
    const int error = conversion_.write(const_cast<void*>(memory), handle, static_cast<int>(count), file, 0,
                                        conversion_.state);
    return error == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_CONVERSION;
  }

  // The program's function knows whole elements only.
  int from_file(const Datatype& type, MPI_Datatype handle, void* memory, std::uint64_t count,
                const std::byte* file, std::uint64_t bytes, std::uint64_t& memory_bytes) const override {
    if (conversion_.read == nullptr) {
      memory_bytes = std::min(bytes, count * type.size());
      type.unpack(memory, count, 0, memory_bytes, file);
      return MPI_SUCCESS;
    }
    const TypePointer in_file = layout(type);
    const std::uint64_t element = in_file->size();
    const std::uint64_t whole = element == 0 ? 0 : bytes / element;
    memory_bytes = whole * type.size();
    if (whole == 0) return MPI_SUCCESS;
    const int error = conversion_.read(memory, handle, static_cast<int>(whole), const_cast<std::byte*>(file),
                                       0, conversion_.state);
    return error == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_CONVERSION;
  }

 private:
  std::uint64_t size_of(const Datatype& predefined) const override {
    MPI_Aint extent = 0;
    conversion_.extent(predefined.handle(), &extent, conversion_.state);
    return extent < 0 ? 0 : static_cast<std::uint64_t>(extent);
  }

  Conversion conversion_;
};

}  // namespace

TypePointer Representation::layout(const Datatype& type) const {
  if (native()) return TypePointer::share(type);
  if (type.predefined()) {
    const std::uint64_t size = size_of(type);
    return size == type.size() && type.contiguous() ? TypePointer::share(type)
                                                    : mpi::make_contiguous(size, mpi::byte_type());
  }
  const TypeDescription& how = *type.description_if_any();
  std::vector<TypePointer> old;
  bool same = true;
  for (const TypePointer& inner : how.types) {
    old.push_back(layout(*inner));
    same = same && old.back().get() == inner.get();
  }
  return same ? TypePointer::share(type) : remake(how, old);
}

Representations::Representations() {
  by_name_["native"] = native_representation();
  by_name_["internal"] = std::make_shared<Native>("internal");
  by_name_["external32"] = std::make_shared<External32>();
}

RepresentationPointer Representations::find(const std::string& name) const {
  const auto entry = by_name_.find(name);
  return entry == by_name_.end() ? nullptr : entry->second;
}

bool Representations::add(const std::string& name, const Conversion& conversion) {
  return by_name_.try_emplace(name, std::make_shared<Registered>(name, conversion)).second;
}

const RepresentationPointer& native_representation() {
  static const RepresentationPointer native = std::make_shared<Native>("native");
  return native;
}

}  // namespace mpisim::pio
