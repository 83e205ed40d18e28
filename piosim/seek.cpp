#include "piosim/seek.hpp"

#include <fmt/format.h>

namespace mpisim::pio {

SeekTarget seek_target(const File& file, std::uint64_t current, MPI_Offset offset, int whence) {
  SeekTarget target;
  MPI_Offset from = 0;
  if (whence == MPI_SEEK_CUR) {
    from = static_cast<MPI_Offset>(current);
  } else if (whence == MPI_SEEK_END) {
    Failure failure;
    const std::uint64_t size = file.host().size(failure);
    if (!failure.ok()) {
      failure.text = fmt::format("the size of file \"{}\" is unknown: {}", file.name(), failure.text);
      return {0, failure};
    }
    const std::uint64_t etype = file.view.etype_size();
    from = static_cast<MPI_Offset>((file.view.stream_below(size) + etype - 1) / etype);
  } else if (whence != MPI_SEEK_SET) {
    return {
        0,
        {MPI_ERR_ARG, fmt::format("whence is {}, none of MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END", whence)}};
  }
  MPI_Offset to = 0;
  if (__builtin_add_overflow(from, offset, &to) || to < 0)
    return {0, {MPI_ERR_ARG, fmt::format("the file pointer would be at {} + {}", from, offset)}};
  return {static_cast<std::uint64_t>(to), {}};
}

}  // namespace mpisim::pio
