// Private images of made-up modules: an executable and a library whose relocations name slots.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "runtime/private_images.hpp"

using namespace mpisim::runtime;

namespace {

constexpr std::size_t page = 4096;

// A module of `pages` pages, the first half of them initialised.
struct FakeModule {
  explicit FakeModule(std::size_t pages, bool is_executable) {
    size = pages * page;
    image =
        static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    module.abi_version = MPISIM_ABI_VERSION;
    module.is_executable = is_executable;
    module.image_begin = image;
    module.image_data_end = image + pages / 2 * page;
    module.image_end = image + size;
    module.offset = &offset;
    module.dynamic = dynamic;
    if (is_executable) {
      module.delta_slot = &at<std::uintptr_t>(64);
      module.counted_slot = &at<std::uint64_t>(72);
    }
  }
  ~FakeModule() { munmap(image, size); }

  template <class T>
  T& at(std::size_t position) {
    return *reinterpret_cast<T*>(image + position);
  }
  void add_relocation(void* slot, unsigned type) {
    relocations.push_back({reinterpret_cast<ElfW(Addr)>(slot), ELF64_R_INFO(0, type), 0});
    dynamic[0] = {DT_RELA, {reinterpret_cast<ElfW(Addr)>(relocations.data())}};
    dynamic[1] = {DT_RELASZ, {relocations.size() * sizeof(ElfW(Rela))}};
    dynamic[2] = {};
  }

  std::size_t size = 0;
  char* image = nullptr;
  std::intptr_t offset = 0;
  std::vector<ElfW(Rela)> relocations;
  ElfW(Dyn) dynamic[3] = {};
  mpisim_module module{};
};

template <class T>
T& copy_of(T& variable, std::uintptr_t delta) {
  return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(&variable) + delta);
}

}  // namespace

TEST_CASE("Every rank has its own initialised copy", "[runtime]") {
  FakeModule program(16, true);
  program.at<int>(page) = 7;
  program.at<int>(12 * page) = 9;  // a constructor wrote into the zeros
  PrivateImages images(3, {&program.module});
  std::uintptr_t delta[3];
  for (std::size_t rank = 0; rank < 3; ++rank) delta[rank] = images.initialise(rank);
  for (const std::uintptr_t d : delta) {
    CHECK(d % page == 0);
    CHECK(copy_of(program.at<int>(page), d) == 7);
    CHECK(copy_of(program.at<int>(12 * page), d) == 9);
    CHECK(copy_of(program.at<int>(5 * page), d) == 0);
    CHECK(copy_of(*program.module.delta_slot, d) == d);
    copy_of(program.at<int>(page), d) = static_cast<int>(d >> 12);
  }
  for (const std::uintptr_t d : delta) CHECK(copy_of(program.at<int>(page), d) == static_cast<int>(d >> 12));
  CHECK(program.at<int>(page) == 7);
  CHECK(images.data_size() == 2 * page);
  CHECK(images.image_size() == 16 * page);

  images.release(1);
  CHECK(copy_of(program.at<int>(page), delta[1]) == 0);
  CHECK(images.initialise(1) == delta[1]);
  CHECK(copy_of(program.at<int>(page), delta[1]) == 7);
}

TEST_CASE("Copies of small programs share pages where there are many ranks", "[runtime]") {
  constexpr std::size_t ranks = 100;
  FakeModule program(4, true);
  program.at<std::uint64_t>(0) = 8;    // alignment of initialised variables
  program.at<std::uint64_t>(8) = 256;  // and of zeros
  program.module.image_used_end = program.image + 900;
  program.at<int>(512) = 7;
  program.at<int*>(520) = &program.at<int>(512);
  program.add_relocation(&program.at<int*>(520), R_X86_64_RELATIVE);
  PrivateImages images(ranks, {&program.module});
  CHECK(images.image_size() == 1024);
  CHECK(images.data_size() == 900);
  std::uintptr_t delta[ranks];
  for (std::size_t rank = 0; rank < ranks; ++rank) delta[rank] = images.initialise(rank);
  for (const std::uintptr_t d : delta) {
    CHECK(d % 256 == 0);
    CHECK(copy_of(program.at<int>(512), d) == 7);
    CHECK(copy_of(program.at<int*>(520), d) == &copy_of(program.at<int>(512), d));
    std::memset(&copy_of(program.at<char>(0), d), static_cast<int>(d >> 10 & 0xff), 900);
  }
  images.release(50);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == 50) continue;
    CHECK(copy_of(program.at<char>(0), delta[rank]) == static_cast<char>(delta[rank] >> 10 & 0xff));
    CHECK(copy_of(program.at<char>(899), delta[rank]) == static_cast<char>(delta[rank] >> 10 & 0xff));
  }

  PrivateImages few(3, {&program.module});
  CHECK(few.image_size() == 4 * page);
  program.at<std::uint64_t>(8) = page;  // some variable wants a page of its own
  PrivateImages aligned(ranks, {&program.module});
  CHECK(aligned.image_size() == 4 * page);
}

TEST_CASE("Slots with addresses of private data are relocated, also across modules", "[runtime]") {
  FakeModule program(4, true), library(6, false);
  int elsewhere = 0;
  auto& to_own = program.at<int*>(128);
  auto& to_end = program.at<char*>(136);
  auto& to_library = program.at<int*>(144);
  auto& to_other = program.at<int*>(152);
  auto& stored = program.at<int*>(160);
  auto& back = library.at<int*>(128);
  int* global_offset_entry = &library.at<int>(256);
  int* own_global_offset_entry = &program.at<int>(256);
  int* const plain_pointer = &library.at<int>(256);
  const int* ordinary = plain_pointer;
  to_own = &program.at<int>(256);
  to_end = program.module.image_end;
  to_library = &library.at<int>(256);
  to_other = &elsewhere;
  stored = &program.at<int>(256);
  back = &program.at<int>(260);
  for (void* slot : {static_cast<void*>(&to_own), static_cast<void*>(&to_end),
                     static_cast<void*>(&to_library), static_cast<void*>(&to_other)})
    program.add_relocation(slot, R_X86_64_RELATIVE);
  program.add_relocation(&global_offset_entry, R_X86_64_GLOB_DAT);
  program.add_relocation(&own_global_offset_entry, R_X86_64_GLOB_DAT);
  program.add_relocation(&ordinary, R_X86_64_RELATIVE);
  library.add_relocation(&back, R_X86_64_64);
  program.at<int>(256) = 1;
  library.at<int>(256) = 2;
  {
    PrivateImages images(2, {&program.module, &library.module});
    CHECK(program.offset == 0);
    CHECK(library.offset % static_cast<std::intptr_t>(page) == 0);
    CHECK(global_offset_entry == &library.at<int>(256) + library.offset / 4);
    CHECK(own_global_offset_entry == &program.at<int>(256));
    CHECK(ordinary == plain_pointer);
    for (const std::size_t rank : {0, 1}) {
      const std::uintptr_t delta = images.initialise(rank);
      int*& own = copy_of(to_own, delta);
      CHECK(own == &copy_of(program.at<int>(256), delta));
      CHECK(copy_of(to_end, delta) == program.module.image_end + delta);
      CHECK(copy_of(to_other, delta) == &elsewhere);
      CHECK(copy_of(stored, delta) == own);  // as a constructor would, without a relocation
      // Through the displaced entry and through the relocated pointer, the same variable.
      CHECK(copy_of(to_library, delta) == &copy_of(*global_offset_entry, delta));
      CHECK(*copy_of(to_library, delta) == 2);
      const auto library_delta = delta + static_cast<std::uintptr_t>(library.offset);
      CHECK(copy_of(back, library_delta) == &copy_of(program.at<int>(260), delta));
    }
  }
  CHECK(library.offset == 0);
  CHECK(global_offset_entry == &library.at<int>(256));
}

TEST_CASE("Compact relative relocations name slots too", "[runtime]") {
  FakeModule program(2, true);
  for (const std::size_t position : {128, 136, 152}) program.at<char*>(position) = program.image + 512;
  // The first word is the slot at 128; bit i of the bitmap behind it is the i-th word after it.
  const ElfW(Addr) words[] = {reinterpret_cast<ElfW(Addr)>(program.image + 128), (0b101 << 1) | 1};
  program.dynamic[0] = {36 /* DT_RELR */, {reinterpret_cast<ElfW(Addr)>(words)}};
  program.dynamic[1] = {35 /* DT_RELRSZ */, {sizeof words}};
  PrivateImages images(1, {&program.module});
  const std::uintptr_t delta = images.initialise(0);
  for (const std::size_t position : {128, 136, 152})
    CHECK(copy_of(program.at<char*>(position), delta) == program.image + 512 + delta);
}

TEST_CASE("More addresses than there are is refused with the mend", "[runtime]") {
  FakeModule program(4, true);
  CHECK_THROWS_WITH(PrivateImages(std::size_t{1} << 45, {&program.module}), Catch::Contains("fewer ranks"));
}

TEST_CASE("Without modules there is nothing to copy", "[runtime]") {
  PrivateImages images(4, {});
  CHECK(images.initialise(3) == 0);
  CHECK(images.image_size() == 0);
}

TEST_CASE("Prices are rounded to picoseconds", "[runtime]") {
  static mpisim_cost_vector costs[3] = {};
  static std::uint64_t prices[3] = {};
  static mpisim_module library{};
  costs[0].count[MPISIM_COST_BYTE] = 1;
  costs[1].count[MPISIM_COST_INT] = 3;
  costs[1].count[MPISIM_COST_FP_MUL] = 2;
  library.abi_version = MPISIM_ABI_VERSION;
  library.costs_begin = costs;
  library.costs_end = costs + 3;
  library.prices_begin = prices;
  mpisim_register_module(&library);
  CHECK(registered_modules().size() == 1);
  std::vector<double> picoseconds(MPISIM_COST_CLASSES, 0.0);
  picoseconds[MPISIM_COST_BYTE] = 100.6;
  picoseconds[MPISIM_COST_INT] = 1000.5;
  picoseconds[MPISIM_COST_FP_MUL] = 20000;
  price_blocks(picoseconds);
  CHECK(prices[0] == 101);
  CHECK(prices[1] == 43002);
  CHECK(prices[2] == 0);
  CHECK_THROWS(price_blocks({1.0}));
  picoseconds[0] = -1;
  CHECK_THROWS(price_blocks(picoseconds));
}
