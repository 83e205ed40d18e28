#include "runtime/private_images.hpp"

#include <asm/prctl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "runtime/relocation_slots.hpp"

namespace mpisim::runtime {
namespace {

constexpr std::size_t page = 4096;
// With few ranks large private arrays profit from huge pages as they would natively; with many, each touched
// page must not become 2 MiB.
constexpr std::size_t huge_pages_up_to_ranks = 64;
// Beyond so many ranks copies lie as close as their alignment allows, not each in pages of its own.
constexpr std::size_t own_pages_up_to_ranks = 64;
constexpr std::uintptr_t cache_line = 64;
// Above the range of 32-bit integers: where position-independent programs are loaded.
constexpr std::uintptr_t lowest_certain_address = std::uintptr_t{1} << 32;

std::uintptr_t round_up(std::uintptr_t value, std::uintptr_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool is_zero(const std::byte* begin, std::size_t size) {
  return *begin == std::byte{0} && std::memcmp(begin, begin + 1, size - 1) == 0;
}

// Tells which pages of this process were ever touched, so that gigabytes of untouched zeros are not read.
class TouchedPages {
 public:
  TouchedPages() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~TouchedPages() {
    if (file_ >= 0) close(file_);
  }
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  bool maybe_touched(std::uintptr_t address) {
    if (file_ < 0) return true;
    const std::uintptr_t number = address / page;
    if (number < first_ || number >= first_ + known_) {
      const auto bytes =
          pread(file_, entries_, sizeof entries_, static_cast<off_t>(number * sizeof entries_[0]));
      first_ = number;
      known_ = bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof entries_[0] : 0;
      if (known_ == 0) return true;
    }
    return (entries_[number - first_] >> 62) != 0;  // bit 63: present, bit 62: swapped
  }

 private:
  int file_;
  std::uintptr_t first_ = 0;
  std::size_t known_ = 0;
  std::uint64_t entries_[512];
};

// Writes to a slot outside the images, which the loader may have made read-only after relocation.
void write_slot(std::uintptr_t* slot, std::uintptr_t value, const LoadedObject& object) {
  const auto address = reinterpret_cast<std::uintptr_t>(slot);
  const bool read_only = object.found && address >= object.relro_begin && address < object.relro_end;
  void* begin = reinterpret_cast<void*>(address / page * page);
  if (read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error(fmt::format("cannot displace the private data of a shared library: mprotect: {}",
                                         std::strerror(errno)));
  *slot = value;
  if (read_only) mprotect(begin, page, PROT_READ);
}

}  // namespace

struct PrivateImages::Layout {
  struct Run {                            // initialised pages that lie behind one another
    std::uintptr_t source, size, target;  // target: from the start of a rank's region
  };
  struct Slot {                      // a word of a rank's region that holds an address of private data
    std::uintptr_t position, value;  // value: to be displaced by the rank's delta
  };
  struct GlobalOffsetEntry {
    std::uintptr_t* slot;
    std::uintptr_t original;
    LoadedObject object;
  };

  std::size_t count;
  std::vector<const mpisim_module*> modules;
  std::vector<std::uintptr_t> positions;  // of each module's copy in a rank's region
  std::uintptr_t origin = 0;              // image of the executable: a region at `origin` has delta 0
  std::uintptr_t stride = 0;              // from one rank's region to the next
  std::uintptr_t alignment = page;
  std::byte* reservation = nullptr;
  std::size_t reserved = 0;
  std::uintptr_t first = 0;  // region of rank 0
  std::vector<Run> runs;
  std::vector<Slot> slots;
  std::vector<GlobalOffsetEntry> displaced;

  Layout(std::size_t ranks, std::vector<const mpisim_module*> list) : count(ranks), modules(std::move(list)) {
    place_modules();
    reserve();
    find_runs();
    find_slots();
    find_stored_pointers();
    displace_libraries();
  }

  ~Layout() {
    // Destructors of the program run on the images themselves.
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
    for (const GlobalOffsetEntry& entry : displaced) write_slot(entry.slot, entry.original, entry.object);
    for (const mpisim_module* module : modules)
      if (module->offset != nullptr) *module->offset = 0;
    if (reservation != nullptr) munmap(reservation, reserved);
  }

  static std::uintptr_t begin_of(const mpisim_module& module) {
    return reinterpret_cast<std::uintptr_t>(module.image_begin) / page * page;
  }
  std::uintptr_t end_of(const mpisim_module& module) const {
    if (alignment < page && module.image_used_end != nullptr)
      return reinterpret_cast<std::uintptr_t>(module.image_used_end);
    return round_up(reinterpret_cast<std::uintptr_t>(module.image_end), page);
  }

  // What the variables of a module need; 0 if that is not known.
  static std::uintptr_t alignment_of(const mpisim_module& module) {
    const auto* head = reinterpret_cast<const std::uint64_t*>(begin_of(module));
    return head[0] == 0 || head[1] == 0 ? 0 : std::max(head[0], head[1]);
  }

  // Where the variables of a module begin; what lies between its head and variables with an alignment above a
  // page's may not be mapped.
  static std::uintptr_t variables_of(const mpisim_module& module) {
    const auto* head = reinterpret_cast<const std::uint64_t*>(begin_of(module));
    return begin_of(module) + head[2];
  }

  void choose_alignment() {
    if (count > own_pages_up_to_ranks) {
      std::uintptr_t strictest = cache_line;
      bool known = true;
      for (const mpisim_module* module : modules) {
        strictest = std::max(strictest, alignment_of(*module));
        known = known && alignment_of(*module) != 0;
      }
      if (known && strictest < page) {
        alignment = strictest;
        return;
      }
    }
    for (const mpisim_module* module : modules)
      if (module->dynamic != nullptr)
        alignment = std::max(alignment, find_loaded_object(module->dynamic).alignment);
  }

  void place_modules() {
    choose_alignment();
    origin = modules.empty() ? 0 : begin_of(*modules.front());
    // A copy lies as its image does within the strictest alignment, so that every variable keeps its own.
    std::uintptr_t end = 0;
    for (const mpisim_module* module : modules) {
      const std::uintptr_t phase = (begin_of(*module) - origin) % alignment;
      std::uintptr_t position = end / alignment * alignment + phase;
      if (position < end) position += alignment;
      positions.push_back(position);
      end = position + end_of(*module) - begin_of(*module);
    }
    stride = round_up(end, alignment);
  }

  void reserve() {
    if (stride == 0 || count == 0) return;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(stride, count, &bytes) || __builtin_add_overflow(bytes, alignment, &reserved))
      reserved = 0;
    void* memory = reserved == 0 ? MAP_FAILED
                                 : mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(fmt::format(
          "cannot reserve addresses for {} ranks with {} bytes of global and static variables each: run "
          "with fewer ranks, with more host processes (--hosts), or make the program's arrays smaller",
          count, stride));
    reservation = static_cast<std::byte*>(memory);
    // Copies smaller than a page leave no page untouched.
    if (count > huge_pages_up_to_ranks)
      madvise(reservation, reserved, stride < page ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    const auto address = reinterpret_cast<std::uintptr_t>(reservation);
    first = address + (origin - address) % alignment;
  }

  void find_runs() {
    TouchedPages touched;
    for (std::size_t m = 0; m < modules.size(); ++m) {
      const std::uintptr_t begin = begin_of(*modules[m]), end = end_of(*modules[m]);
      const auto data_end = reinterpret_cast<std::uintptr_t>(modules[m]->image_data_end);
      for (std::uintptr_t at = begin; at < end; at += page) {
        if (at > begin && at + page <= variables_of(*modules[m])) continue;
        if (at >= data_end && !touched.maybe_touched(at)) continue;
        if (is_zero(reinterpret_cast<const std::byte*>(at), page)) continue;
        const std::uintptr_t size = std::min(page, end - at);
        if (!runs.empty() && runs.back().source + runs.back().size == at)
          runs.back().size += size;
        else
          runs.push_back({at, size, positions[m] + (at - begin)});
      }
    }
  }

  // Module whose image holds `value` (its end included), or -1.
  int module_of(std::uintptr_t value) const {
    for (std::size_t m = 0; m < modules.size(); ++m)
      if (value >= reinterpret_cast<std::uintptr_t>(modules[m]->image_begin) &&
          value <= reinterpret_cast<std::uintptr_t>(modules[m]->image_end))
        return static_cast<int>(m);
    return -1;
  }
  // What image addresses of a module are displaced by before delta.
  std::uintptr_t offset_of(int m) const {
    return positions[static_cast<std::size_t>(m)] + origin - begin_of(*modules[static_cast<std::size_t>(m)]);
  }

  void find_slots() {
    for (const mpisim_module* module : modules) {
      const LoadedObject object =
          module->dynamic == nullptr ? LoadedObject{} : find_loaded_object(module->dynamic);
      for (const RelocationSlot& slot : relocation_slots(*module)) {
        const auto address = reinterpret_cast<std::uintptr_t>(slot.address);
        const int holder = module_of(address);
        const int target = module_of(*slot.address);
        if (target < 0) continue;
        if (holder >= 0)
          slots.push_back({address + offset_of(holder) - origin, *slot.address + offset_of(target)});
        else if (slot.is_global_offset_entry && offset_of(target) != 0)
          displaced.push_back({slot.address, *slot.address, object});
      }
    }
  }

  // What constructors of the program stored before main: an aligned word without a relocation that holds an
  // address in an image is a pointer. Programs that are loaded at low addresses, where integers could look
  // the same, are left alone.
  void find_stored_pointers() {
    std::vector<std::uintptr_t> known;
    for (const Slot& slot : slots) known.push_back(slot.position);
    std::sort(known.begin(), known.end());
    for (const Run& run : runs) {
      const auto* word = reinterpret_cast<const std::uintptr_t*>(run.source);
      for (std::uintptr_t at = run.target; at < run.target + run.size; at += sizeof *word, ++word) {
        if (*word < lowest_certain_address || module_of(*word) < 0) continue;
        if (!std::binary_search(known.begin(), known.end(), at))
          slots.push_back({at, *word + offset_of(module_of(*word))});
      }
    }
  }

  void displace_libraries() {
    for (std::size_t m = 0; m < modules.size(); ++m)
      if (modules[m]->offset != nullptr)
        *modules[m]->offset = static_cast<std::intptr_t>(offset_of(static_cast<int>(m)));
    for (const GlobalOffsetEntry& entry : displaced)
      write_slot(entry.slot, entry.original + offset_of(module_of(entry.original)), entry.object);
  }
};

PrivateImages::PrivateImages(std::size_t count) : PrivateImages(count, registered_modules()) {}

PrivateImages::PrivateImages(std::size_t count, std::vector<const mpisim_module*> modules)
    : layout_(std::make_unique<Layout>(count, std::move(modules))) {}

PrivateImages::~PrivateImages() = default;

std::uintptr_t PrivateImages::initialise(std::size_t index) {
  const Layout& layout = *layout_;
  if (layout.stride == 0) return 0;
  const std::uintptr_t region = layout.first + index * layout.stride;
  const std::uintptr_t delta = region - layout.origin;
  for (const Layout::Run& run : layout.runs)
    std::memcpy(reinterpret_cast<void*>(region + run.target), reinterpret_cast<const void*>(run.source),
                run.size);
  for (const Layout::Slot& slot : layout.slots)
    *reinterpret_cast<std::uintptr_t*>(region + slot.position) = slot.value + delta;
  const mpisim_module& executable = *layout.modules.front();
  const auto copy_of = [delta](auto* image) {
    return reinterpret_cast<decltype(image)>(reinterpret_cast<std::uintptr_t>(image) + delta);
  };
  if (executable.delta_slot != nullptr) *copy_of(executable.delta_slot) = delta;
  if (executable.counted_slot != nullptr) *copy_of(executable.counted_slot) = 0;
  return delta;
}

void PrivateImages::release(std::size_t index) {
  if (layout_->stride == 0) return;
  // Others' copies may begin and end on the same pages.
  const std::uintptr_t region = layout_->first + index * layout_->stride;
  const std::uintptr_t begin = round_up(region, page);
  const std::uintptr_t end = (region + layout_->stride) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::size_t PrivateImages::data_size() const {
  std::size_t bytes = 0;
  for (const Layout::Run& run : layout_->runs) bytes += run.size;
  return bytes;
}

std::size_t PrivateImages::image_size() const {
  return layout_->stride;
}

}  // namespace mpisim::runtime
