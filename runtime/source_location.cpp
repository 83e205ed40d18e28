#include "runtime/source_location.hpp"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <unwind.h>

#include <map>
#include <mutex>
#include <string_view>

#include "runtime/module_registry.hpp"

namespace mpisim::runtime {
namespace {

int inspected_process = 0;  // 0: this one

// The debug information of this process, read at the first question. Libraries that are loaded later are
// found by asking again for the list of modules.
class DebugInformation {
 public:
  static DebugInformation& instance() {
    static auto* const information = new DebugInformation;  // may be asked until the very end of the process
    return *information;
  }

  SourceLocation locate(Dwarf_Addr address) {
    const std::lock_guard lock(mutex_);
    if (session_ == nullptr) return {};
    Dwfl_Module* module = dwfl_addrmodule(session_, address);
    if (module == nullptr) {
      report_modules();
      module = dwfl_addrmodule(session_, address);
    }
    if (module == nullptr) return {};
    SourceLocation location;
    const Unit unit = unit_at(module, address);
    location.function = function_at(module, unit, address);
    if (location.function == "__mpisim_user_main") location.function = "main";  // mpisimcc's name for it
    find_line(unit, location);
    return location;
  }

 private:
  DebugInformation() {
    callbacks_.find_elf = dwfl_linux_proc_find_elf;
    callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks_.debuginfo_path = &debuginfo_path_;
    session_ = dwfl_begin(&callbacks_);
    if (session_ != nullptr) report_modules();
  }

  void report_modules() {
    dwfl_report_begin(session_);
    dwfl_linux_proc_report(session_, inspected_process != 0 ? inspected_process : getpid());
    dwfl_report_end(session_, nullptr, nullptr);
  }

  // A compilation unit, and the address as its debug information counts.
  struct Unit {
    Dwarf_Die* die = nullptr;
    Dwarf_Addr address = 0;
  };

  // Clang writes no table of addresses, and the library trusts one that only some units are in: the others
  // are searched one by one.
  static Unit unit_at(Dwfl_Module* module, Dwarf_Addr address) {
    Dwarf_Addr bias = 0;
    if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) return {unit, address - bias};
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr)
      if (dwarf_haspc(unit, address - bias) > 0) return {unit, address - bias};
    return {};
  }

  // The name of the innermost function, inlined ones included.
  static std::string function_at(Dwfl_Module* module, const Unit& unit, Dwarf_Addr address) {
    Dwarf_Die* scopes = nullptr;
    const int count = unit.die == nullptr ? 0 : dwarf_getscopes(unit.die, unit.address, &scopes);
    std::string name;
    for (int i = 0; i < count && name.empty(); ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      Dwarf_Attribute attribute;
      if (const char* text = dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_name, &attribute)))
        name = text;
    }
    free(scopes);
    if (name.empty())
      if (const char* symbol = dwfl_module_addrname(module, address)) name = symbol;
    return name;
  }

  // The last row of the line table at or before the address that has a line: rows without one are the
  // compiler's own code.
  static void find_line(const Unit& unit, SourceLocation& location) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (unit.die == nullptr || dwarf_getsrclines(unit.die, &lines, &count) != 0) return;
    Dwarf_Addr best = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* const line = dwarf_onesrcline(lines, i);
      Dwarf_Addr start = 0;
      int number = 0;
      bool ends = false;
      if (dwarf_lineaddr(line, &start) != 0 || start > unit.address || start < best) continue;
      if (dwarf_lineendsequence(line, &ends) != 0 || dwarf_lineno(line, &number) != 0) continue;
      if (ends) {  // what follows belongs to another sequence
        location.file.clear();
        location.line = 0;
        best = start;
        continue;
      }
      const char* const file = number == 0 ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
      if (file == nullptr) continue;
      best = start;
      location.line = number;
      location.file = as_given(unit, file);
    }
  }

  // Line tables hold the compiler's directory joined with the name that it was given.
  static std::string as_given(const Unit& unit, std::string_view file) {
    Dwarf_Attribute attribute;
    const char* const directory = dwarf_formstring(dwarf_attr(unit.die, DW_AT_comp_dir, &attribute));
    if (directory != nullptr) {
      const std::string prefix = std::string(directory) + "/";
      if (file.starts_with(prefix)) file.remove_prefix(prefix.size());
    }
    return std::string(file);
  }

  std::mutex mutex_;
  Dwfl_Callbacks callbacks_{};
  char* debuginfo_path_ = nullptr;
  Dwfl* session_ = nullptr;
};

constexpr std::size_t most_frames = 64;   // a report of endless recursion must end
constexpr std::size_t most_objects = 64;  // more libraries than that are taken for none of the target's
constexpr std::size_t lines_shown = 32;

// In fixed memory: the heap may be what is broken.
struct Walk {
  const void** addresses = nullptr;
  std::size_t most = 0;
  std::size_t count = 0;
  std::uintptr_t called = 0;  ///< an instruction of what the innermost of them called
  LoadedObject objects[most_objects];
  std::size_t object_count = 0;
};

void find_objects(Walk& walk) {
  for (const mpisim_module* module : registered_modules()) {
    const LoadedObject object = find_loaded_object(module->dynamic);
    if (object.found && walk.object_count < most_objects) walk.objects[walk.object_count++] = object;
  }
}

bool is_of_target(const Walk& walk, std::uintptr_t address) {
  if (walk.object_count == 0) return true;
  for (std::size_t i = 0; i < walk.object_count; ++i)
    if (address >= walk.objects[i].begin && address < walk.objects[i].end) return true;
  return false;
}

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  int is_exact = 0;  // the instruction that a signal interrupted, not the one behind a call
  std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
  if (address == 0) return _URC_END_OF_STACK;
  if (is_exact) {  // a signal came here: what is above is its handler
    address += 1;
    walk.count = 0;
    walk.called = 0;
  }
  if (is_of_target(walk, address - 1))
    walk.addresses[walk.count++] = reinterpret_cast<const void*>(address);
  else if (walk.count == 0)
    walk.called = address - 1;
  return walk.count < walk.most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

SourceLocation locate(const void* return_address) {
  return DebugInformation::instance().locate(reinterpret_cast<Dwarf_Addr>(return_address) - 1);
}

std::string describe(const void* return_address) {
  // Reports ask for the same few places of many ranks.
  static auto* const known = new std::map<const void*, std::string>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known->try_emplace(return_address);
  if (is_new) {
    const SourceLocation location = locate(return_address);
    entry->second = location.file.empty() ? "?" : fmt::format("{}:{}", location.file, location.line);
  }
  return entry->second;
}

bool is_code_of_target(std::uintptr_t address) {
  // Asked by handlers of signals, too, who must find them made.
  static const Walk& objects = []() -> const Walk& {
    auto* const walk = new Walk;
    find_objects(*walk);
    return *walk;
  }();
  return is_of_target(objects, address);
}

TargetCall innermost_call() {
  const void* innermost = nullptr;
  Walk walk;
  walk.addresses = &innermost;
  walk.most = 1;
  find_objects(walk);
  _Unwind_Backtrace(visit_frame, &walk);
  TargetCall call;
  if (walk.count == 0) return call;
  call.address = innermost;
  Dl_info info{};
  constexpr std::string_view wrapped = "__wrap_";
  if (walk.called != 0 && dladdr(reinterpret_cast<const void*>(walk.called), &info) != 0 &&
      info.dli_sname != nullptr) {
    call.called = info.dli_sname;
    if (call.called.starts_with(wrapped)) call.called.erase(0, wrapped.size());
  }
  return call;
}

std::string describe_calls(const void* const* addresses, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count && i < lines_shown; ++i) {
    const SourceLocation location = locate(addresses[i]);
    const std::string place =
        location.file.empty() ? std::string("?") : fmt::format("{}:{}", location.file, location.line);
    text += fmt::format("#{} {} at {}\n", i, location.function.empty() ? "?" : location.function, place);
  }
  if (count > lines_shown) text += "... and more callers\n";
  return text;
}

void locate_in_process(int process) {
  inspected_process = process;
}

std::size_t backtrace_of_target(const void** addresses, std::size_t most) {
  Walk walk;
  walk.addresses = addresses;
  walk.most = most;
  find_objects(walk);
  _Unwind_Backtrace(visit_frame, &walk);
  return walk.count;
}

std::vector<const void*> backtrace_of_target() {
  std::vector<const void*> addresses(most_frames);
  addresses.resize(backtrace_of_target(addresses.data(), addresses.size()));
  return addresses;
}

}  // namespace mpisim::runtime
