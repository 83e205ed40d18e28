#include "app/commands.hpp"

#include <array>

namespace mpisim::app {

namespace {

std::vector<Option> run_options() {
  return {
      {.name = "ranks",
       .letter = 'n',
       .argument = "RANKS",
       .doc = "Number of ranks of the target program (MPI processes), at least 1.",
       .required = true},
      {.name = "machine",
       .letter = 'm',
       .argument = "MACHINE",
       .doc = "Target machine: a machine file, or the name of a bundled one (`mpisim machine list`).",
       .completes = Completes::machine,
       .required = true},
      {.name = "set",
       .argument = "PATH=VALUE",
       .doc = "Overrides one value of the machine file, as in `--set network.latency=2us`. `mpisim machine "
              "show` prints all paths. May be repeated; a later one wins.",
       .repeatable = true},
      {.name = "compute",
       .argument = "MODE",
       .default_value = "measured; counted with several host processes",
       .doc =
           "Where the time of sequential code comes from: `measured` on this host and scaled to the "
           "machine's processor, `counted` by the cost counters in the program and priced by the machine's "
           "table (the same on every host), `recorded` from the file of `--record`, or `off` (zero).",
       .values = {"measured", "counted", "recorded", "off"}},
      {.name = "record",
       .argument = "FILE",
       .doc = "Durations of sequential code per call site and visit: written with `--compute measured`, used "
              "with "
              "`--compute recorded`.",
       .completes = Completes::file},
      {.name = "hosts",
       .argument = "H",
       .default_value = "1",
       .doc = "Number of host processes that simulate together. With 1, Open MPI is not needed; with more, "
              "mpirun starts them."},
      {.name = "hostfile",
       .argument = "FILE",
       .doc = "Host machines for the host processes, in the form that mpirun reads.",
       .completes = Completes::file},
      {.name = "mpirun-args", .argument = "ARGS", .doc = "More arguments for mpirun, separated by blanks."},
      {.name = "protocol",
       .argument = "PROTOCOL",
       .default_value = "sequential; combined with several host processes",
       .doc =
           "How host processes keep simulated time consistent: `sequential` (one host process), `null` "
           "(null messages), `conditional` (conditional events: a global minimum), `combined` (both), "
           "`quantum` (a barrier per window of `--quantum`), `ideal` (replays the order of `--order`: the "
           "bound "
           "that others are measured against), or `none` (only programs that need no synchronisation). All "
           "give the same prediction, except quantum with too long a window.",
       .values = {"sequential", "null", "conditional", "combined", "quantum", "ideal", "none"}},
      {.name = "quantum",
       .argument = "T",
       .default_value = "the largest exact one",
       .doc = "Window of the quantum protocol, as in `2 us`. Beyond the least latency of the network "
              "predictions are not exact."},
      {.name = "order",
       .argument = "FILE",
       .doc = "When events come: read by the ideal protocol, written by all others.",
       .completes = Completes::file},
      {.name = "deterministic",
       .argument = "SWITCH",
       .default_value = "on",
       .doc = "Whether calls whose outcome cannot depend on timing (a receive that names its source) go on "
              "without synchronisation. Changes the host's cost only, never the prediction.",
       .values = {"on", "off"}},
      {.name = "partition",
       .argument = "KIND",
       .default_value = "block",
       .doc =
           "How ranks (with what belongs to their nodes) are dealt to host processes: `block` (equal ranges "
           "of numbers), `round-robin`, or `graph`: by the host time of each and the traffic between them "
           "that the file of `--profile` tells, such that host processes have equal work and exchange "
           "little. Changes the host's cost only, never the prediction.",
       .values = {"block", "round-robin", "graph"}},
      {.name = "profile",
       .argument = "FILE",
       .doc = "What each rank and each part of the file system costs the host, and what each pair exchanges: "
              "read with `--partition graph`, written with the others.",
       .completes = Completes::file},
      {.name = "stack-size",
       .argument = "SIZE",
       .default_value = "8 MiB",
       .doc = "Stack of each rank, with a unit as in `512 KiB`. Only what is touched takes memory. The "
              "default beyond 16,384 ranks is 256 KiB."},
      {.name = "livelock-polls",
       .argument = "N",
       .default_value = "1048576",
       .doc =
           "Polls in vain, one behind the other, from which on a loop that might end by itself is taken for "
           "an endless one, if all other ranks wait or poll too."},
      {.name = "heap",
       .argument = "KIND",
       .default_value = "zero",
       .doc = "What a rank finds in memory that it has just allocated: `zero` (costs nothing for pages that "
              "are fresh), `pattern` (0x7ff5a5a57ff5a5a5, no number and no address, to find what reads it), "
              "or `native`: what was there before, perhaps another rank's data, so that what such a program "
              "does may depend on --hosts.",
       .values = {"zero", "pattern", "native"}},
      {.name = "time-limit",
       .argument = "T",
       .doc = "Ends the run after so much time of this host, as in `90 s` or `10 min`, with status 124, and "
              "tells where every rank is: call, line and simulated time."},
      {.name = "epoch",
       .argument = "T",
       .default_value = "2000-01-01",
       .doc = "What the program's clocks show at simulated time zero: seconds since 1970, or a date "
              "`YYYY-MM-DD` (midnight UTC)."},
      {.name = "json",
       .argument = "FILE",
       .doc =
           "Writes the prediction and the cost of the run to FILE, or for - to standard output, behind what "
           "the program prints; see the guide for its fields.",
       .completes = Completes::file},
      {.name = "per-rank", .doc = "Lists every rank in the JSON file beyond 4096 ranks too."},
      {.name = "trace", .argument = "FILE", .doc = "Event trace.", .available = false},
      {.name = "report", .argument = "DIR", .doc = "Report pages.", .available = false},
      {.name = "io-tables",
       .argument = "LINES",
       .default_value = "busiest",
       .doc =
           "Tables of I/O statistics in the summary, of ranks, files, nodes and disks: the `busiest` few of "
           "each, `all`, or `none`.",
       .values = {"busiest", "all", "none"}},
      {.name = "quiet",
       .letter = 'q',
       .doc = "No summary and no progress line; the program's output and errors remain."},
  };
}

Option set_option() {
  return {.name = "set",
          .argument = "PATH=VALUE",
          .doc = "Overrides one value of the machine file first. May be repeated.",
          .repeatable = true};
}

Operand machine_operand() {
  return {.name = "MACHINE",
          .doc = "Machine file, or the name of a bundled one.",
          .completes = Completes::machine};
}

Command later(std::string name, std::string summary) {
  return {.name = std::move(name), .summary = std::move(summary), .available = false};
}

std::vector<Command> make_commands() {
  std::vector<Command> list;
  list.push_back(
      {.name = "run",
       .summary = "predict how long an MPI program takes on a machine",
       .description =
           {"Runs PROGRAM, which mpisimcc has built, with RANKS simulated ranks on the machine that MACHINE "
            "describes. Sequential code runs directly on this host; communication is simulated; data really "
            "moves, so the program computes its real results.",
            "The program's output passes through. A summary on standard error tells the predicted time, "
            "where "
            "it went, the slowest rank, message counts, and what the prediction cost."},
       .options = run_options(),
       .operands = {{.name = "PROGRAM",
                     .doc = "Program that mpisimcc has linked.",
                     .completes = Completes::program},
                    {.name = "ARGS",
                     .doc = "Its arguments.",
                     .completes = Completes::file,
                     .optional = true,
                     .takes_rest = true}},
       .examples = {{"mpisim run -n 16 -m sp2 ./heat2d.sim 512 100", "16 ranks on an IBM SP2."},
                    {"mpisim run -n 32 -m paragon --compute counted --json out.json ./cg.sim A",
                     "A prediction that is the same on every host, as JSON too."},
                    {"mpisim run -n 8 -m cluster --set network.latency=3us ./ring.sim",
                     "What if the latency were 3 us?"}},
       .has_exit_statuses = true});
  list.push_back(
      {.name = "sweep",
       .summary = "predict many variants of a machine or program",
       .description =
           {"Runs every combination of the values that STUDY lists: rank counts, paths of the machine file, "
            "program arguments. Points run side by side on this host's processors, each in a folder of its "
            "own, "
            "OUTPUT/points/N. Finished points are not run again, so an interrupted sweep goes on where it "
            "was.",
            "Writes OUTPUT/results.csv (one row per point), results.json and the plots (SVG), and prints "
            "their "
            "names. A point that cannot run (more ranks than the machine has nodes) is skipped, with its "
            "reason in "
            "the table. Exit status 1 if a point failed or was skipped, 2 if none can run."},
       .options = {{.name = "dry-run", .doc = "Lists the points and their commands; runs nothing."},
                   {.name = "jobs",
                    .letter = 'j',
                    .argument = "N",
                    .default_value = "one per processor; 1 with `compute: measured`",
                    .doc = "Number of points that run at the same time."}},
       .operands = {{.name = "STUDY", .doc = "YAML file; see the guide.", .completes = Completes::file}},
       .examples = {{"mpisim sweep study.yaml --dry-run", "What would be run."},
                    {"mpisim sweep study.yaml", ""}}});
  list.push_back({.name = "machine show",
                  .summary = "print a machine with all defaults filled in",
                  .description = {"Prints the effective machine file: includes resolved, overrides applied, "
                                  "defaults filled in. The output is a machine file itself."},
                  .options = {set_option()},
                  .operands = {machine_operand()},
                  .examples = {{"mpisim machine show paragon --set nodes.compute=16", ""}}});
  list.push_back({.name = "machine check",
                  .summary = "check a machine file",
                  .description = {"Reports every fault of a machine file with file, line and column, and the "
                                  "nearest known key. Exit status 2 if there are any."},
                  .options = {set_option()},
                  .operands = {machine_operand()},
                  .examples = {{"mpisim machine check my-cluster.yaml", ""}}});
  list.push_back(
      {.name = "machine list",
       .summary = "list the bundled machines",
       .description = {"Lists the machine files that come with mpisim, and those in the folders of "
                       "MPISIM_CONFIGS (separated by colons). Their names are good for `-m`."},
       .options = {{.name = "names", .doc = "Only the names, one per line."}}});
  list.push_back(
      {.name = "completion",
       .summary = "print a completion script for a shell",
       .description =
           {"Prints a script that makes the shell complete mpisim's commands, options and values."},
       .operands = {{.name = "SHELL", .doc = "bash, zsh or fish.", .values = {"bash", "zsh", "fish"}}},
       .examples = {
           {"source <(mpisim completion bash)", "For this shell."},
           {"mpisim completion fish > ~/.config/fish/completions/mpisim.fish", "For good, in fish."}}});
  list.push_back(
      {.name = "man",
       .summary = "show or print a manual page",
       .description =
           {"Prints the manual page of a command, or of mpisim itself; on a terminal, shows it with "
            "man. With --all, writes every page into a directory."},
       .options = {{.name = "all",
                    .argument = "DIR",
                    .doc = "Writes all pages into DIR.",
                    .completes = Completes::directory}},
       .operands = {{.name = "COMMAND",
                     .doc = "As in `mpisim man run` or `mpisim man machine show`.",
                     .optional = true,
                     .takes_rest = true}}});
  list.push_back(later("replay", "simulate a recorded trace again"));
  list.push_back(later("analyze", "explain where the time of a trace went"));
  list.push_back(later("calibrate", "measure a real machine for its machine file"));
  return list;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> list = make_commands();
  return list;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::string spelled(const Option& option) {
  const std::string name = "--" + option.name;
  return option.letter == 0 ? name : std::string("-") + option.letter + ", " + name;
}

std::span<const ExitStatus> exit_statuses() {
  static const std::array<ExitStatus, 7> table{{
      {"0 ...", "The program's own: MPI_Abort's code, else that of the lowest rank that failed, else 0."},
      {"2", "Bad input: command line, machine file, or a program that mpisimcc has not built."},
      {"3", "Deadlock or livelock of the program; explained on standard error."},
      {"4", "A rank crashed (a signal, or its stack overflowed)."},
      {"5", "MPI misuse by the program, such as a bad rank or a truncated message."},
      {"6", "A host process failed, for example for lack of memory."},
      {"124", "The time of --time-limit was over. (Ctrl-C ends mpisim by its signal, as any command.)"},
  }};
  return table;
}

}  // namespace mpisim::app
