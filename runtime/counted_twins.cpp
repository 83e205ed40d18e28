#include "runtime/counted_twins.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "runtime/module_registry.hpp"

namespace mpisim::runtime {
namespace {

constexpr std::uintptr_t page = 4096;
constexpr std::size_t jump_size = 5;  // opcode and a distance of 32 bits

std::byte* at_distance(const std::int32_t& field) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(&field) +
                                      static_cast<std::uintptr_t>(std::intptr_t{field}));
}

void write_jump(std::byte* from, const std::byte* to) {
  const auto distance = static_cast<std::int32_t>(to - (from + jump_size));
  from[0] = std::byte{0xe9};
  std::memcpy(from + 1, &distance, sizeof distance);
}

}  // namespace

void enter_twins(const mpisim_module& module) {
  if (module.twins_begin == module.twins_end) return;
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
  for (const mpisim_twin* pair = module.twins_begin; pair != module.twins_end; ++pair) {
    const auto plain = reinterpret_cast<std::uintptr_t>(at_distance(pair->plain));
    begin = std::min(begin, plain / page * page);
    end = std::max(end, plain + jump_size);
  }
  const auto protect = [&](int how) {
    if (mprotect(reinterpret_cast<void*>(begin), end - begin, how) != 0)
      throw std::runtime_error(fmt::format(
          "cannot switch the program to its code with counters: mprotect: {}", std::strerror(errno)));
  };
  protect(PROT_READ | PROT_WRITE);
  for (const mpisim_twin* pair = module.twins_begin; pair != module.twins_end; ++pair)
    write_jump(at_distance(pair->plain), at_distance(pair->twin));
  protect(PROT_READ | PROT_EXEC);
}

bool has_counters() {
  return std::any_of(registered_modules().begin(), registered_modules().end(),
                     [](const mpisim_module* module) { return module->twins_begin != module->twins_end; });
}

}  // namespace mpisim::runtime
