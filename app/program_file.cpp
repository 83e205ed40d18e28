#include "app/program_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "app/arguments.hpp"

namespace mpisim::app {

namespace {

// The name by which every program's start object enters libmpisim.so.
constexpr std::string_view entry_symbol = "mpisim_start";

enum class Kind { ours, other_elf, no_elf };

template <typename T>
std::vector<T> read_table(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<T> table(bytes / sizeof(T));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(table.data()), static_cast<std::streamsize>(table.size() * sizeof(T)));
  if (!file) table.clear();
  return table;
}

// Looks the entry up among the dynamic symbols.
Kind kind_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  const auto header = read_table<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return Kind::no_elf;
  if (header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr))
    return Kind::other_elf;
  const auto sections =
      read_table<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& string_section = sections[section.sh_link];
    if (section.sh_size > size || string_section.sh_size > size) return Kind::other_elf;
    const auto symbols = read_table<Elf64_Sym>(file, section.sh_offset, section.sh_size);
    const auto strings = read_table<char>(file, string_section.sh_offset, string_section.sh_size);
    for (const Elf64_Sym& symbol : symbols)
      if (symbol.st_name + entry_symbol.size() < strings.size() &&
          entry_symbol == std::string_view(strings.data() + symbol.st_name,
                                           strnlen(strings.data() + symbol.st_name, entry_symbol.size() + 1)))
        return Kind::ours;
  }
  return Kind::other_elf;
}

bool is_file(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

std::string locate(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  if (is_file(name)) return "./" + name;
  const char* const searched = std::getenv("PATH");
  std::istringstream path(searched == nullptr ? "" : searched);
  for (std::string directory; std::getline(path, directory, ':');)
    if (const std::string candidate = directory + "/" + name; !directory.empty() && is_file(candidate))
      return candidate;
  return name;
}

}  // namespace

std::string find_program(const std::string& name) {
  const std::string path = locate(name);
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) throw UsageError("cannot find the program " + path);
  if (S_ISDIR(found.st_mode)) throw UsageError("the program " + path + " is a directory");
  if (access(path.c_str(), R_OK) != 0) throw UsageError("cannot read the program " + path);
  switch (kind_of(path)) {
    case Kind::ours:
      break;
    case Kind::other_elf:
      throw UsageError("the program " + path +
                       " was not linked by mpisimcc; build it with mpisimcc in place of mpicc or cc");
    case Kind::no_elf:
      throw UsageError("the program " + path + " is not an executable; build it with mpisimcc -o " + path);
  }
  if (access(path.c_str(), X_OK) != 0)
    throw UsageError("the program " + path + " may not be executed (is it linked? chmod +x mends the mode)");
  return path;
}

}  // namespace mpisim::app
