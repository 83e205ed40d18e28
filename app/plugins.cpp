#include "app/plugins.hpp"

#include <dlfcn.h>

#include <span>
#include <stdexcept>
#include <string>

namespace mpisim::app {

namespace {

// Names of the plug-in's own libraries come first, whatever the target program defines; AddressSanitizer
// cannot have that.
#ifdef __SANITIZE_ADDRESS__
constexpr int own_names_first = 0;
#else
constexpr int own_names_first = RTLD_DEEPBIND;
#endif

/// The function `symbol` of the plug-in `name`, which `option` needs.
void* load(const std::string& name, const char* symbol, const std::string& option, int flags) {
  Dl_info self{};
  std::string directory;
  if (dladdr(reinterpret_cast<const void*>(&load), &self) != 0 && self.dli_fname != nullptr)
    directory = std::string(self.dli_fname, std::string(self.dli_fname).rfind('/') + 1);
  const std::string path = directory + name;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
  if (library == nullptr) throw std::runtime_error(option + ": " + dlerror());
  void* function = dlsym(library, symbol);
  if (function == nullptr)
    throw std::runtime_error(path + " is of another version than mpisim: " + dlerror());
  return function;
}

}  // namespace

std::unique_ptr<kernel::Transport> load_openmpi_transport(int* argc, char*** argv) {
  using Factory = kernel::Transport* (*)(int*, char***);
  const auto make = reinterpret_cast<Factory>(
      load("libmpisim_openmpi.so", "mpisim_make_openmpi_transport", "--hosts needs the Open MPI plug-in", 0));
  return std::unique_ptr<kernel::Transport>(make(argc, argv));
}

kernel::MetisPartitioner load_metis_partitioner() {
  using Function =
      bool (*)(const kernel::LoadGraph&, int, kernel::MetisMethod, int, std::span<std::uint16_t>);
  return reinterpret_cast<Function>(load("libmpisim_metis.so", "mpisim_metis_partition",
                                         "--partition graph needs the METIS plug-in", own_names_first));
}

}  // namespace mpisim::app
