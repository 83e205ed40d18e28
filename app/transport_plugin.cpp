#include "app/transport_plugin.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace mpisim::app {

std::unique_ptr<kernel::Transport> load_openmpi_transport(int* argc, char*** argv) {
  Dl_info self{};
  std::string directory;
  if (dladdr(reinterpret_cast<const void*>(&load_openmpi_transport), &self) != 0 && self.dli_fname != nullptr)
    directory = std::string(self.dli_fname, std::string(self.dli_fname).rfind('/') + 1);
  const std::string path = directory + "libmpisim_openmpi.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw std::runtime_error(std::string("--hosts needs the Open MPI plug-in: ") + dlerror());
  using Factory = kernel::Transport* (*)(int*, char***);
  const auto make = reinterpret_cast<Factory>(dlsym(library, "mpisim_make_openmpi_transport"));
  if (make == nullptr) throw std::runtime_error(path + " is of another version than mpisim: " + dlerror());
  return std::unique_ptr<kernel::Transport>(make(argc, argv));
}

}  // namespace mpisim::app
