#pragma once
// Which of the requests that wait for a disk is served next.
//
//   fcfs    first come, first served
//   sstf    shortest seek time first: the cylinder nearest to the head; of two that are equally near, the one
//           of the request that came first
//   scan    the elevator: on in the direction in which the head goes, upwards at first, as long as a request
//           waits there, then back (without a detour to the edge of the disk)
//   c-look  upwards to the last request, then to the one on the lowest cylinder
//
// Requests on one cylinder are served in the order in which they came. Distances are in cylinders: rotation
// is not looked at. Source: B. L. Worthington, G. R. Ganger, Y. N. Patt, "Scheduling algorithms for modern
// disk drives", SIGMETRICS 1994, where scan is called LOOK (as in E. G. Coffman, L. A. Klimko, B. Ryan,
// "Analysis of scanning policies for reducing disk seek times", SIAM J. Computing 1(3), 1972, the head does
// not go beyond the last request). Cost: O(log n) per request, fcfs O(1).
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "simkernel/modules.hpp"

namespace mpisim::disk {

struct Waiting {
  std::uint64_t cylinder = 0;
  std::uint64_t arrival = 0;  ///< numbers requests in the order in which they came, each once
};

class QueueDiscipline {
 public:
  virtual ~QueueDiscipline() = default;
  QueueDiscipline(const QueueDiscipline&) = delete;
  QueueDiscipline& operator=(const QueueDiscipline&) = delete;

  virtual void add(const Waiting& request) = 0;
  /// Removes the next one, given the cylinder of the head, and returns its arrival; there must be one.
  virtual std::uint64_t take(std::uint64_t head) = 0;

 protected:
  QueueDiscipline() = default;
};

/// What a discipline needs for its choice.
enum class Choice : std::uint8_t {
  none,      ///< requests are served as they come
  queue,     ///< to be asked when the disk is free
  cylinder,  ///< the same, and a disk that has a head
};

struct Discipline {
  std::string name;
  std::string summary;  ///< one line, without the full stop
  std::function<std::unique_ptr<QueueDiscipline>()> make;
  Choice choice = Choice::queue;
};

/// All disciplines, in the order in which they are documented.
kernel::ModuleTable<Discipline>& disciplines();

#define MODULE(name) Discipline name##_discipline();
#include "disk_models/disciplines.def"
#undef MODULE

}  // namespace mpisim::disk
