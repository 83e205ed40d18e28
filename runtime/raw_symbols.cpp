#include "runtime/raw_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mpisim::runtime {

RawText& RawText::operator<<(const char* text) {
  while (*text != '\0' && size_ < sizeof text_) text_[size_++] = *text++;
  return *this;
}

RawText& RawText::operator<<(std::int64_t number) {
  char digits[24];
  std::size_t place = sizeof digits;
  digits[--place] = '\0';
  auto left = static_cast<std::uint64_t>(number < 0 ? -number : number);
  do {
    digits[--place] = static_cast<char>('0' + left % 10);
  } while ((left /= 10) != 0);
  if (number < 0) digits[--place] = '-';
  return *this << digits + place;
}

RawText& RawText::hexadecimal(std::uint64_t number) {
  char digits[20];
  std::size_t place = sizeof digits;
  digits[--place] = '\0';
  do {
    digits[--place] = "0123456789abcdef"[number % 16];
  } while ((number /= 16) != 0);
  return *this << "0x" << digits + place;
}

void RawText::flush(int fd) {
  for (std::size_t done = 0; done < size_;) {
    const ssize_t written = ::write(fd, text_ + done, size_ - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  size_ = 0;
}

namespace {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint64_t offset = 0;
  char path[512] = {};
};

// Reads the lines of /proc/self/maps: "begin-end permissions offset device inode path".
class MapsReader {
 public:
  MapsReader() : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (file_ >= 0) close(file_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  bool next(Mapping& mapping) {
    if (peek() < 0) return false;
    mapping.begin = number();
    skip();
    mapping.end = number();
    skip_field();
    skip_field();
    mapping.offset = number();
    for (int field = 0; field < 3; ++field) skip_field();
    while (peek() == ' ') skip();
    std::size_t size = 0;
    for (int c = 0; (c = peek()) >= 0 && c != '\n'; skip())
      if (size + 1 < sizeof mapping.path) mapping.path[size++] = static_cast<char>(c);
    mapping.path[size] = '\0';
    skip();
    return true;
  }

 private:
  int peek() {
    if (at_ == size_) {
      const ssize_t got = file_ < 0 ? 0 : read(file_, buffer_, sizeof buffer_);
      if (got <= 0) return -1;
      size_ = static_cast<std::size_t>(got);
      at_ = 0;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  void skip() {
    if (peek() >= 0) ++at_;
  }
  void skip_field() {
    while (peek() >= 0 && peek() != ' ' && peek() != '\n') skip();
    if (peek() == ' ') skip();
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int c = 0; (c = peek()) >= 0; skip()) {
      if (c >= '0' && c <= '9')
        value = value * 16 + static_cast<std::uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
      else
        break;
    }
    return value;
  }

  int file_;
  char buffer_[1024];
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

// An object file in memory, whose contents are checked before they are used.
class ObjectFile {
 public:
  explicit ObjectFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      void* memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) {
        data_ = static_cast<const char*>(memory);
        size_ = static_cast<std::size_t>(status.st_size);
      }
    }
    close(file);
    header_ = at<Elf64_Ehdr>(0, 1);
    if (header_ != nullptr &&
        (std::memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0 || header_->e_ident[EI_CLASS] != ELFCLASS64))
      header_ = nullptr;
  }
  ~ObjectFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;

  struct Function {
    const char* name = nullptr;  ///< null: not found
    std::uint64_t distance = 0;  ///< from its begin
  };

  /// The function at a place of the file.
  Function function_at(std::uint64_t offset) const {
    Function found;
    if (header_ == nullptr) return found;
    std::uint64_t address = 0;
    if (!address_of(offset, address)) return found;
    const auto* sections = at<Elf64_Shdr>(header_->e_shoff, header_->e_shnum);
    if (sections == nullptr) return found;
    for (int i = 0; i < header_->e_shnum; ++i) {
      const Elf64_Shdr& section = sections[i];
      const bool symbols = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
      if (symbols && section.sh_link < header_->e_shnum)
        search(section, sections[section.sh_link], address, found);
    }
    return found;
  }

 private:
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }
  bool address_of(std::uint64_t offset, std::uint64_t& address) const {
    const auto* segments = at<Elf64_Phdr>(header_->e_phoff, header_->e_phnum);
    for (int i = 0; segments != nullptr && i < header_->e_phnum; ++i) {
      const Elf64_Phdr& segment = segments[i];
      if (segment.p_type != PT_LOAD || offset < segment.p_offset ||
          offset - segment.p_offset >= segment.p_filesz)
        continue;
      address = segment.p_vaddr + (offset - segment.p_offset);
      return true;
    }
    return false;
  }
  void search(const Elf64_Shdr& table, const Elf64_Shdr& names, std::uint64_t address,
              Function& found) const {
    const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = at<Elf64_Sym>(table.sh_offset, count);
    const char* texts = at<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || texts == nullptr || names.sh_size == 0 || texts[names.sh_size - 1] != '\0')
      return;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Elf64_Sym& symbol = symbols[i];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (address < symbol.st_value || symbol.st_name >= names.sh_size) continue;
      const std::uint64_t distance = address - symbol.st_value;
      if (distance >= symbol.st_size || (found.name != nullptr && distance >= found.distance)) continue;
      found = {texts + symbol.st_name, distance};
    }
  }

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  const Elf64_Ehdr* header_ = nullptr;
};

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

}  // namespace

void append_symbol(RawText& text, std::uintptr_t address) {
  MapsReader maps;
  // What a file holds from its begin on is loaded with its first mapping.
  Mapping mapping;
  std::uintptr_t base = 0;
  while (maps.next(mapping)) {
    if (mapping.offset == 0) base = mapping.begin;
    if (address < mapping.begin || address >= mapping.end) continue;
    if (mapping.path[0] == '\0') return;
    (text << base_name(mapping.path) << "+").hexadecimal(address - base);
    const ObjectFile file(mapping.path);
    const ObjectFile::Function function = file.function_at(address - mapping.begin + mapping.offset);
    if (function.name != nullptr) (text << " " << function.name << "+").hexadecimal(function.distance);
    return;
  }
}

}  // namespace mpisim::runtime
