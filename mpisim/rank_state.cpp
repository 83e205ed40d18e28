#include "mpisim/rank_state.hpp"

#include "mpisim/error_handlers.hpp"

namespace mpisim::mpi {

int ErrorCodes::add_class() {
  added_.push_back({0, ""});
  return added_.back().error_class = last_used_code();
}

int ErrorCodes::add_code(int error_class) {
  added_.push_back({error_class, ""});
  return last_used_code();
}

bool ErrorCodes::set_text(int code, const std::string& text) {
  if (code <= MPI_ERR_LASTCODE || !known(code)) return false;
  added_[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)].text = text;
  return true;
}

int ErrorCodes::class_of(int code) const {
  return code <= MPI_ERR_LASTCODE ? code
                                  : added_[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)].error_class;
}

std::string ErrorCodes::text_of(int code) const {
  return code <= MPI_ERR_LASTCODE ? error_class_text(code)
                                  : added_[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)].text;
}

}  // namespace mpisim::mpi
