#include "app/host_disturbance.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "app/text_table.hpp"

namespace mpisim::app {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The second number is the time that the thread has waited on a run queue, in nanoseconds.
double waited_seconds() {
  std::istringstream text(text_of("/proc/thread-self/schedstat"));
  double ran = 0, waited = 0;
  return text >> ran >> waited ? waited * 1e-9 : 0;
}

}  // namespace

void take_processor_times(const std::string& stat, double seconds_per_tick, HostCounters& counters) {
  std::istringstream text(stat);
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0,
         stolen = 0;
  text >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  if (!text || name != "cpu") return;
  counters.busy = (user + nice + system + interrupts + soft_interrupts) * seconds_per_tick;
  counters.stolen = stolen * seconds_per_tick;
}

HostCounters read_host_counters() {
  HostCounters counters;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  counters.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  counters.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  counters.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  counters.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  counters.thread_cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  counters.process_cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  counters.waited = waited_seconds();
  counters.processors = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  take_processor_times(text_of("/proc/stat"), 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK)), counters);
  counters.elapsed = seconds_of(CLOCK_MONOTONIC);
  return counters;
}

HostUse use_between(const HostCounters& begin, const HostCounters& end) {
  HostUse use;
  HostCounters& counted = use.counted;
  counted = end;
  counted.elapsed -= begin.elapsed;
  counted.thread_cpu -= begin.thread_cpu;
  counted.process_cpu -= begin.process_cpu;
  counted.waited = std::max(0.0, end.waited - begin.waited);
  counted.involuntary_switches -= begin.involuntary_switches;
  counted.voluntary_switches -= begin.voluntary_switches;
  counted.minor_faults -= begin.minor_faults;
  counted.major_faults -= begin.major_faults;
  const bool known = begin.busy >= 0 && end.busy >= 0 && counted.elapsed >= least_for_ticks;
  counted.busy = known ? std::max(0.0, end.busy - begin.busy) : -1;
  counted.stolen = known ? std::max(0.0, end.stolen - begin.stolen) : -1;
  gethostname(use.host.data(), use.host.size() - 1);
  return use;
}

HostDisturbance disturbance_of(const std::vector<HostUse>& uses) {
  HostDisturbance sum;
  std::map<std::string, double> own;  // processor time of the run's processes by host
  for (const HostUse& use : uses) {
    const HostCounters& counted = use.counted;
    sum.cpu_seconds += counted.thread_cpu;
    sum.waited_seconds += counted.waited;
    sum.involuntary_switches += counted.involuntary_switches;
    sum.voluntary_switches += counted.voluntary_switches;
    sum.minor_faults += counted.minor_faults;
    sum.major_faults += counted.major_faults;
    own[use.host.data()] += counted.process_cpu;
  }
  for (const HostUse& use : uses) {
    const HostCounters& counted = use.counted;
    if (counted.busy < 0) continue;
    const double available = counted.elapsed * static_cast<double>(counted.processors);
    const double others = std::max(0.0, counted.busy - own[use.host.data()]);
    sum.others_share = std::max(sum.others_share.value_or(0), std::min(1.0, others / available));
    sum.stolen_share = std::max(sum.stolen_share.value_or(0), std::min(1.0, counted.stolen / available));
  }
  return sum;
}

double HostDisturbance::waited_share() const {
  const double wanted = cpu_seconds + waited_seconds;
  return wanted > 0 ? waited_seconds / wanted : 0;
}

bool HostDisturbance::too_much() const {
  return waited_share() > waited_limit || stolen_share.value_or(0) > stolen_limit ||
         others_share.value_or(0) > others_limit;
}

std::string describe(const HostDisturbance& disturbance) {
  std::string text = fmt::format("waited {:.1f} % of the time for a processor ({} times taken away)",
                                 100 * disturbance.waited_share(), count(disturbance.involuntary_switches));
  if (disturbance.others_share)
    text += fmt::format(", other programs had {:.0f} % of the processors", 100 * *disturbance.others_share);
  if (disturbance.stolen_share)
    text += fmt::format(", {:.1f} % stolen by the hypervisor", 100 * *disturbance.stolen_share);
  text += fmt::format("; {} page faults", count(disturbance.minor_faults + disturbance.major_faults));
  if (disturbance.major_faults > 0) text += fmt::format(", {} from disk", count(disturbance.major_faults));
  return text;
}

std::string disturbance_warning(const HostDisturbance& disturbance) {
  if (!disturbance.too_much()) return {};
  return fmt::format(
      "the host disturbed what was measured: {} (limits: {:.0f} % waited, {:.0f} % of the processors, {:.0f} "
      "% "
      "stolen); repeat the run on an idle host, or take --compute counted or recorded",
      describe(disturbance), 100 * waited_limit, 100 * others_limit, 100 * stolen_limit);
}

}  // namespace mpisim::app
