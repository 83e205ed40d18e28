#pragma once
// What few ranks ask for: made when first used.
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpisim/attributes.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/info.hpp"

namespace mpisim::mpi {

/// Attributes are handed out as pointers, so each rank has its own (MPI-3.1 section 8.1.2).
struct PredefinedAttributes {
  int tag_upper_bound = std::numeric_limits<int>::max();
  int host = MPI_PROC_NULL;
  int io = MPI_ANY_SOURCE;  ///< every rank can do I/O
  int wtime_is_global = 1;  ///< all ranks see the one simulated clock
  int universe_size = 0;
  int application_number = 0;
  int last_used_code = 0;
};

/// Error classes and codes that the program has added (section 8.5).
class ErrorCodes {
 public:
  int add_class();
  /// Of a class that exists.
  int add_code(int error_class);
  /// False if the code is predefined or unknown.
  bool set_text(int code, const std::string& text);
  bool known(int code) const { return code >= 0 && code <= last_used_code(); }
  int class_of(int code) const;
  bool is_class(int code) const { return known(code) && class_of(code) == code; }
  std::string text_of(int code) const;
  int last_used_code() const { return MPI_ERR_LASTCODE + static_cast<int>(added_.size()); }

 private:
  struct Added {
    int error_class;
    std::string text;
  };
  std::vector<Added> added_;  // codes from MPI_ERR_LASTCODE + 1
};

struct RankState {
  PredefinedAttributes attributes;
  ErrorCodes errors;
  /// Of predefined datatypes, which all ranks share. By handle.
  std::map<MPI_Datatype, AttributeSet> type_attributes;
  std::map<MPI_Datatype, std::string> type_names;  ///< the same, where the program has set them
  /// Handles of the types for Fortran's kinds, by combiner and arguments.
  std::map<std::pair<int, std::vector<int>>, MPI_Datatype> fortran_kinds;
  std::unique_ptr<Info> environment;  ///< MPI_INFO_ENV
  int profiling_level = 1;            ///< MPI_Pcontrol
};

}  // namespace mpisim::mpi
