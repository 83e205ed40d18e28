#include "simkernel/load_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "simkernel/result_file.hpp"

namespace mpisim::kernel {

namespace {

constexpr std::string_view format_name = "mpisim-profile";
constexpr std::uint64_t format_version = 1;
constexpr const char* mend = "; `mpisim run --profile FILE` without --partition graph records one";

// Words of a file's lines, with its name and the line's number for messages.
class Lines {
 public:
  Lines(const std::string& file, std::istream& in) : file_(file), in_(in) {}

  /// The next line's words; the first must be `keyword`, and `numbers` numbers follow.
  std::vector<std::uint64_t> expect(std::string_view keyword, std::size_t numbers) {
    next();
    if (words_[0] != keyword) fail(fmt::format("`{}` is expected, not `{}`", keyword, words_[0]));
    return numbers_after_keyword(numbers);
  }
  /// The first word of the next line.
  std::string_view next() {
    if (!std::getline(in_, line_)) fail("the file ends too early; was the run that wrote it interrupted?");
    ++number_;
    words_.clear();
    const std::string_view line(line_);
    for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string_view::npos;) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      words_.push_back(line.substr(at, end - at));
      at = end;
    }
    if (words_.empty()) fail("the line is empty");
    return words_[0];
  }
  std::vector<std::uint64_t> numbers_after_keyword(std::size_t count) const {
    if (words_.size() != count + 1)
      fail(fmt::format("`{}` takes {} numbers, not {}", words_[0], count, words_.size() - 1));
    std::vector<std::uint64_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view word = words_[i + 1];
      const auto result = std::from_chars(word.data(), word.data() + word.size(), numbers[i]);
      if (result.ec != std::errc{} || result.ptr != word.data() + word.size())
        fail(fmt::format("`{}` is no whole number", word));
    }
    return numbers;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw WrongProfile(fmt::format("{}:{}: {}{}", file_, number_, what, mend));
  }

 private:
  const std::string& file_;
  std::istream& in_;
  std::size_t number_ = 0;
  std::string line_;
  std::vector<std::string_view> words_;  // of line_
};

std::uint64_t steady_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void read_header(const std::string& file, Lines& lines, std::istream& in) {
  std::string first(format_name.size() + 1, '\0');
  in.read(first.data(), static_cast<std::streamsize>(first.size()));
  if (!in || first != std::string(format_name) + " ")
    throw WrongProfile(fmt::format("{} is no profile{}", file, mend));
  in.seekg(0);
  const std::uint64_t version = lines.expect(format_name, 1)[0];
  if (version != format_version)
    throw WrongProfile(fmt::format("{} is a profile of version {}, but this mpisim reads version {}{}", file,
                                   version, format_version, mend));
}

}  // namespace

void LoadProfile::add(const LoadProfile& other) {
  processes = std::max(processes, other.processes);
  if (load_ns.size() < other.load_ns.size()) load_ns.resize(other.load_ns.size());
  for (std::size_t lp = 0; lp < other.load_ns.size(); ++lp) load_ns[lp] += other.load_ns[lp];
  std::map<std::pair<LpId, LpId>, LpTraffic> all;
  for (const std::vector<LpTraffic>* part : {&std::as_const(traffic), &other.traffic}) {
    for (const LpTraffic& pair : *part) {
      LpTraffic& sum =
          all.try_emplace({pair.source, pair.destination}, LpTraffic{pair.source, pair.destination})
              .first->second;
      sum.events += pair.events;
      sum.bytes += pair.bytes;
    }
  }
  traffic.clear();
  for (const auto& [key, pair] : all) traffic.push_back(pair);
}

std::vector<std::byte> LoadProfile::pack() const {
  PacketWriter out;
  out.put(processes);
  out.put(static_cast<std::uint64_t>(load_ns.size()));
  out.append(load_ns.data(), load_ns.size() * sizeof load_ns[0]);
  for (const LpTraffic& pair : traffic) out.put(pair);
  return std::move(out.buffer());
}

LoadProfile LoadProfile::unpack(const std::vector<std::byte>& packed) {
  PacketReader in(packed);
  LoadProfile profile;
  profile.processes = in.get<std::uint64_t>();
  profile.load_ns.resize(in.get<std::uint64_t>());
  for (auto& load : profile.load_ns) load = in.get<std::uint64_t>();
  while (!in.empty()) profile.traffic.push_back(in.get<LpTraffic>());
  return profile;
}

void LoadProfile::save(const std::string& file) const {
  write_result(file, [this](std::ostream& out) {
    out << format_name << ' ' << format_version << '\n' << "processes " << processes << '\n';
    out << "lps " << lps() << '\n';
    for (std::size_t lp = 0; lp < lps(); ++lp) out << "load " << lp << ' ' << load_ns[lp] << '\n';
    for (const LpTraffic& pair : traffic)
      out << "traffic " << pair.source << ' ' << pair.destination << ' ' << pair.events << ' ' << pair.bytes
          << '\n';
    out << "end " << traffic.size() << '\n';
  });
}

LoadProfile LoadProfile::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw WrongProfile(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
  Lines lines(file, in);
  read_header(file, lines, in);
  LoadProfile profile;
  profile.processes = lines.expect("processes", 1)[0];
  const std::uint64_t count = lines.expect("lps", 1)[0];
  if (count == 0 || count < profile.processes || count > std::numeric_limits<LpId>::max())
    lines.fail(fmt::format("there cannot be {} LPs for {} processes", count, profile.processes));
  for (std::uint64_t lp = 0; lp < count; ++lp) {
    const auto numbers = lines.expect("load", 2);
    if (numbers[0] != lp) lines.fail(fmt::format("the load of LP {} is expected, not of {}", lp, numbers[0]));
    profile.load_ns.push_back(numbers[1]);
  }
  while (lines.next() == "traffic") {
    const auto numbers = lines.numbers_after_keyword(4);
    if (numbers[0] >= count || numbers[1] >= count)
      lines.fail(fmt::format("there is no LP {}, only 0 to {}", std::max(numbers[0], numbers[1]), count - 1));
    const LpTraffic pair{static_cast<LpId>(numbers[0]), static_cast<LpId>(numbers[1]), numbers[2],
                         numbers[3]};
    const LpTraffic* last = profile.traffic.empty() ? nullptr : &profile.traffic.back();
    if (last != nullptr &&
        std::pair(last->source, last->destination) >= std::pair(pair.source, pair.destination))
      lines.fail("pairs must be in ascending order, each once");
    profile.traffic.push_back(pair);
  }
  if (lines.numbers_after_keyword(1)[0] != profile.traffic.size())
    lines.fail(
        fmt::format("there are {} pairs before the end, which says otherwise", profile.traffic.size()));
  return profile;
}

LoadRecorder::LoadRecorder(std::uint64_t processes, std::size_t lps, std::uint64_t (*clock)())
    : processes_(processes),
      load_ns_(lps),
      clock_(clock != nullptr ? clock : steady_nanoseconds),
      since_(clock_()) {}

LpId LoadRecorder::enter(LpId lp) {
  const std::uint64_t now = clock_();
  if (running_ < load_ns_.size()) load_ns_[running_] += now - since_;
  since_ = now;
  return std::exchange(running_, lp);
}

void LoadRecorder::sent(const Event& event, const EventCodec* codec) {
  const LpId source = event.key.source;
  const LpId destination = event.destination;
  if (source == destination || source >= load_ns_.size() || destination >= load_ns_.size()) return;
  const LoadScope own(this, nobody);  // what recording costs is nobody's
  Amount& amount = traffic_[std::uint64_t{source} << 32U | destination];
  ++amount.events;
  if (codec == nullptr) return;
  scratch_.buffer().clear();
  codec->encode(event, scratch_);
  amount.bytes += scratch_.buffer().size();
}

LoadProfile LoadRecorder::profile() const {
  LoadProfile profile;
  profile.processes = processes_;
  profile.load_ns = load_ns_;
  profile.traffic.reserve(traffic_.size());
  for (const auto& [key, amount] : traffic_)
    profile.traffic.push_back(
        {static_cast<LpId>(key >> 32U), static_cast<LpId>(key & UINT32_MAX), amount.events, amount.bytes});
  std::sort(profile.traffic.begin(), profile.traffic.end(), [](const LpTraffic& a, const LpTraffic& b) {
    return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
  });
  return profile;
}

}  // namespace mpisim::kernel
