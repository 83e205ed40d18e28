#include "piosim/file.hpp"

#include <fmt/format.h>

#include "mpisim/arguments.hpp"
#include "mpisim/error_handlers.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"
#include "piosim/data_call.hpp"
#include "piosim/file_server.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

using mpi::ErrorHandler;

File::File(mpi::Communicator& comm, std::string name, std::string path, int amode)
    : error_handler(MPI_ERRORS_RETURN),
      comm_(comm),
      name_(std::move(name)),
      path_(std::move(path)),
      lock_name_(name_of(path_)),
      amode_(amode) {}

File::~File() {
  comm_.release();
}

void File::set_error_handler(MPI_Errhandler handler) {
  if (ErrorHandler* object = mpi::handles().error_handlers.find(handler)) ++object->references;
  mpi::handles().release_error_handler(error_handler);
  error_handler = handler;
}

std::string unfinished(const File& file) {
  return fmt::format("nonblocking or split accesses of file \"{}\" were not completed before: {}",
                     file.name(), file.unfinished);
}

File* find_file(MPI_File handle) {
  return rank_io().files.find(handle);
}

namespace {

enum class Telling : bool { silent, warning };

int act(File* file, int error_class, const std::string& message, Telling telling) {
  const MPI_Errhandler handle = file ? file->error_handler : rank_io().default_error_handler;
  const ErrorHandler* handler = mpi::handles().error_handler(handle);
  if (handler == nullptr || handler->kind == ErrorHandler::Kind::fatal) mpi::fatal(error_class, message);
  if (telling == Telling::warning)
    mpi::warn(fmt::format("{} [{}]", message, mpi::error_class_text(error_class)));
  if (handler->kind == ErrorHandler::Kind::user) {
    MPI_File object = file ? file->handle : MPI_FILE_NULL;
    handler->function(&object, &error_class);
  }
  return error_class;
}

}  // namespace

int raise_error(File* file, int error_class, const std::string& message) {
  return act(file, error_class, message, Telling::warning);
}

int raise_silently(File* file, int error_class) {
  return act(file, error_class, "the call failed on another rank", Telling::silent);
}

int raise_answer(int error_class, const std::string& message) {
  rank_io().last_answer = message;
  return act(nullptr, error_class, message, Telling::silent);
}

std::string bad_file(const char* argument, MPI_File handle) {
  std::string text = mpi::bad_handle(argument, mpi::HandleKind::file, handle);
  if (handle == MPI_FILE_NULL && !rank_io().last_answer.empty())
    text += fmt::format(" (earlier: {})", rank_io().last_answer);
  return text;
}

}  // namespace mpisim::pio
