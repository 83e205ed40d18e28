#include "mpisim/type_layouts.hpp"

#include <algorithm>

#include "mpisim/layout_bounds.hpp"

namespace mpisim::mpi {
namespace {

class DerivedType : public Datatype {
 protected:
  void set(const LayoutBounds& bounds) {
    size_ = bounds.size;
    lower_bound_ = bounds.lower;
    extent_ = bounds.upper - bounds.lower;
    true_lower_bound_ = bounds.true_lower;
    true_extent_ = bounds.true_upper - bounds.true_lower;
    basic_elements_ = bounds.basic_elements;
    uniform_basic_ = bounds.uniform_basic;
    alignment_ = bounds.alignment;
    explicit_lower_bound_ = bounds.explicit_lower;
    explicit_upper_bound_ = bounds.explicit_upper;
    single_run_ = bounds.single_run;
    set_contiguous();
  }
  void set_contiguous() {
    contiguous_ = single_run_ && true_lower_bound_ == 0 && extent_ == static_cast<std::int64_t>(size_);
  }
};

/// Blocks of equal length at equal distances; also contiguous types (one block).
class VectorType final : public DerivedType {
 public:
  VectorType(std::uint64_t count, std::uint64_t block_length, std::int64_t stride, const Datatype& child)
      : child_(TypePointer::share(child)), count_(count), block_length_(block_length), stride_(stride) {
    LayoutBounds bounds;
    bounds.add_strided(count, block_length, stride, child);
    set(bounds);
    block_is_run_ = child.contiguous() || (block_length == 1 && child.single_run());
  }

  void visit_basics(std::int64_t base, BasicSink& sink) const override {
    for (std::uint64_t i = 0; i < count_; ++i)
      for (std::uint64_t j = 0; j < block_length_; ++j)
        child_->visit_basics(
            base + static_cast<std::int64_t>(i) * stride_ + static_cast<std::int64_t>(j) * child_->extent(),
            sink);
  }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    return bytes / child_->size() * child_->basic_elements() +
           child_->basic_elements_in(bytes % child_->size());
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    const std::uint64_t block_bytes = block_length_ * child_->size();
    std::uint64_t block = offset / block_bytes;
    const std::uint64_t within = offset % block_bytes;
    const auto at = [&] { return base + static_cast<std::int64_t>(block) * stride_; };
    if (within) {
      const std::uint64_t part = std::min(bytes, block_bytes - within);
      child_->visit(at(), within, part, sink);
      bytes -= part;
      ++block;
    }
    const std::uint64_t whole = bytes / block_bytes;
    if (block_is_run_ && whole) {
      sink.runs(at() + child_->true_lower_bound(), block_bytes, stride_, whole);
      block += whole;
    } else {
      for (std::uint64_t i = 0; i < whole; ++i, ++block) child_->visit(at(), 0, block_bytes, sink);
    }
    child_->visit(at(), 0, bytes % block_bytes, sink);
  }

 private:
  TypePointer child_;
  std::uint64_t count_, block_length_;
  std::int64_t stride_;
  bool block_is_run_ = false;
};

/// Blocks of one child type at listed displacements. Empty blocks are left out.
class IndexedType final : public DerivedType {
 public:
  IndexedType(std::span<const int> block_lengths, std::vector<std::int64_t> displacements,
              const Datatype& child)
      : child_(TypePointer::share(child)) {
    LayoutBounds bounds;
    std::size_t kept = 0;
    begins_.reserve(displacements.size() + 1);
    for (std::size_t i = 0; i < displacements.size(); ++i) {
      const auto length = static_cast<std::uint64_t>(block_lengths[i]);
      if (length == 0) continue;
      begins_.push_back(bounds.size);
      bounds.add(displacements[i], length, child);
      displacements[kept++] = displacements[i];
    }
    begins_.push_back(bounds.size);
    displacements.resize(kept);
    displacements_ = std::move(displacements);
    set(bounds);
  }
  IndexedType(std::uint64_t block_length, std::vector<std::int64_t> displacements, const Datatype& child)
      : child_(TypePointer::share(child)) {
    LayoutBounds bounds;
    if (block_length == 0) displacements.clear();
    for (const std::int64_t at : displacements) bounds.add(at, block_length, child);
    displacements_ = std::move(displacements);
    block_bytes_ = block_length * child.size();
    set(bounds);
  }

  void visit_basics(std::int64_t base, BasicSink& sink) const override {
    if (size_ == 0) return;
    for (std::size_t i = 0; i < displacements_.size(); ++i)
      for (std::uint64_t j = 0; j < (begin(i + 1) - begin(i)) / child_->size(); ++j)
        child_->visit_basics(base + displacements_[i] + static_cast<std::int64_t>(j) * child_->extent(),
                             sink);
  }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    return bytes / child_->size() * child_->basic_elements() +
           child_->basic_elements_in(bytes % child_->size());
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    for (std::size_t i = block_at(offset); bytes; ++i) {
      const std::uint64_t within = offset - begin(i);
      const std::uint64_t part = std::min(bytes, begin(i + 1) - offset);
      if (child_->contiguous())
        sink.runs(base + displacements_[i] + static_cast<std::int64_t>(within), part, 0, 1);
      else
        child_->visit(base + displacements_[i], within, part, sink);
      offset += part;
      bytes -= part;
    }
  }

 private:
  /// Packed offset at which block i begins.
  std::uint64_t begin(std::size_t i) const { return begins_.empty() ? i * block_bytes_ : begins_[i]; }
  std::size_t block_at(std::uint64_t offset) const {
    if (begins_.empty()) return offset / block_bytes_;
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) -
                                    begins_.begin()) -
           1;
  }

  TypePointer child_;
  std::vector<std::int64_t> displacements_;
  std::vector<std::uint64_t> begins_;  // empty if all blocks are of block_bytes_ bytes
  std::uint64_t block_bytes_ = 0;
};

class StructType final : public DerivedType {
 public:
  StructType(std::span<const int> block_lengths, std::span<const std::int64_t> displacements,
             std::span<const Datatype* const> types) {
    LayoutBounds bounds;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const auto length = static_cast<std::uint64_t>(block_lengths[i]);
      if (length != 0 && types[i]->size() != 0)
        blocks_.push_back({displacements[i], bounds.size, length, TypePointer::share(*types[i])});
      bounds.add(displacements[i], length, *types[i]);
    }
    // Padded like a C struct, so that arrays of structs match (section 4.1.6).
    if (!bounds.explicit_upper) {
      const std::int64_t over = (bounds.upper - bounds.lower) % bounds.alignment;
      if (over) bounds.upper += bounds.alignment - over;
    }
    set(bounds);
  }

  void visit_basics(std::int64_t base, BasicSink& sink) const override {
    for (const Block& block : blocks_)
      for (std::uint64_t j = 0; j < block.length; ++j)
        block.type->visit_basics(base + block.at + static_cast<std::int64_t>(j) * block.type->extent(), sink);
  }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    std::uint64_t elements = 0;
    for (const Block& block : blocks_) {
      const std::uint64_t block_bytes = block.length * block.type->size();
      const std::uint64_t part = std::min(bytes, block_bytes);
      elements += part / block.type->size() * block.type->basic_elements();
      if (part % block.type->size()) elements += block.type->basic_elements_in(part % block.type->size());
      bytes -= part;
      if (bytes == 0) break;
    }
    return elements;
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), offset,
                                  [](std::uint64_t wanted, const Block& b) { return wanted < b.begin; }) -
                 1;
    for (; bytes; ++block) {
      const std::uint64_t within = offset - block->begin;
      const std::uint64_t part = std::min(bytes, block->length * block->type->size() - within);
      block->type->visit(base + block->at, within, part, sink);
      offset += part;
      bytes -= part;
    }
  }

 private:
  struct Block {
    std::int64_t at;
    std::uint64_t begin;  // packed offset
    std::uint64_t length;
    TypePointer type;
  };
  std::vector<Block> blocks_;
};

/// One element of a child, displaced, with bounds of its own.
class ResizedType final : public DerivedType {
 public:
  ResizedType(const Datatype& child, std::int64_t shift, std::int64_t lower_bound, std::int64_t extent)
      : child_(TypePointer::share(child)), shift_(shift) {
    LayoutBounds bounds;
    bounds.add(shift, 1, child);
    bounds.lower = lower_bound;
    bounds.upper = lower_bound + extent;
    bounds.explicit_lower = bounds.explicit_upper = true;
    set(bounds);
  }
  void visit_basics(std::int64_t base, BasicSink& sink) const override {
    child_->visit_basics(base + shift_, sink);
  }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    return child_->basic_elements_in(bytes);
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    child_->visit(base + shift_, offset, bytes, sink);
  }

 private:
  TypePointer child_;
  std::int64_t shift_;
};

/// Another object with the layout of its child.
class DuplicateType final : public DerivedType {
 public:
  explicit DuplicateType(const Datatype& child) : child_(TypePointer::share(child)) {
    LayoutBounds bounds;
    bounds.add(0, 1, child);
    bounds.lower = child.lower_bound();
    bounds.upper = child.lower_bound() + child.extent();
    set(bounds);
  }
  void visit_basics(std::int64_t base, BasicSink& sink) const override { child_->visit_basics(base, sink); }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    return child_->basic_elements_in(bytes);
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    child_->visit(base, offset, bytes, sink);
  }

 private:
  TypePointer child_;
};

}  // namespace

TypePointer make_contiguous(std::uint64_t count, const Datatype& old) {
  return TypePointer::adopt(new VectorType(count ? 1 : 0, count, 0, old));
}

TypePointer make_vector(std::uint64_t count, std::uint64_t block_length, std::int64_t stride,
                        const Datatype& old) {
  if (block_length == 0) count = 0;
  if (stride == static_cast<std::int64_t>(block_length) * old.extent())
    return make_contiguous(count * block_length, old);
  return TypePointer::adopt(new VectorType(count, block_length, stride, old));
}

TypePointer make_indexed(std::span<const int> block_lengths, std::vector<std::int64_t> displacements,
                         const Datatype& old) {
  const auto lengths = block_lengths.first(displacements.size());
  const bool equal =
      std::all_of(lengths.begin(), lengths.end(), [&](int length) { return length == lengths[0]; });
  if (equal && !lengths.empty())
    return make_indexed_block(static_cast<std::uint64_t>(lengths[0]), std::move(displacements), old);
  return TypePointer::adopt(new IndexedType(lengths, std::move(displacements), old));
}

TypePointer make_indexed_block(std::uint64_t block_length, std::vector<std::int64_t> displacements,
                               const Datatype& old) {
  return TypePointer::adopt(new IndexedType(block_length, std::move(displacements), old));
}

TypePointer make_struct(std::span<const int> block_lengths, std::span<const std::int64_t> displacements,
                        std::span<const Datatype* const> types) {
  return TypePointer::adopt(new StructType(block_lengths, displacements, types));
}

TypePointer make_dup(const Datatype& old) {
  return TypePointer::adopt(new DuplicateType(old));
}

TypePointer make_resized(const Datatype& old, std::int64_t lower_bound, std::int64_t extent) {
  return TypePointer::adopt(new ResizedType(old, 0, lower_bound, extent));
}

TypePointer make_displaced(const Datatype& old, std::int64_t shift, std::int64_t extent) {
  return TypePointer::adopt(new ResizedType(old, shift, 0, extent));
}

}  // namespace mpisim::mpi
