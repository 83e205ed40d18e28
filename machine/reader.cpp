#include "machine/reader.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <stdexcept>

#include "machine/catalogue.hpp"
#include "machine/text_file.hpp"

namespace mpisim::machine {

namespace {

namespace fs = std::filesystem;

/// Places of a YAML text: a file's own lines, or a fixed origin for texts without lines.
class Places {
 public:
  explicit Places(Origin origin, bool has_lines) : origin_(std::move(origin)), has_lines_(has_lines) {}
  Origin at(const YAML::Mark& mark) const {
    if (!has_lines_ || mark.is_null()) return origin_;
    return {origin_.source, mark.line + 1, mark.column + 1};
  }

 private:
  Origin origin_;
  bool has_lines_;
};

class Converter {
 public:
  Converter(Places places, std::vector<Diagnostic>& diagnostics)
      : places_(std::move(places)), diagnostics_(diagnostics) {}

  /// The tree of the first document in `text`; empty if it is not YAML.
  Node parse(const std::string& text) {
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(text);
      if (documents.empty()) return {};
      if (documents.size() > 1)
        diagnostics_.push_back(
            {places_.at(documents[1].Mark()).place(), "only one YAML document is allowed"});
      return convert(documents.front(), 0);
    } catch (const YAML::Exception& error) {
      diagnostics_.push_back({places_.at(error.mark).place(), fmt::format("not valid YAML: {}", error.msg)});
      return {};
    }
  }

 private:
  Node convert(const YAML::Node& yaml, int depth) {
    Node node;
    node.origin = places_.at(yaml.Mark());
    if (depth > 20) {
      diagnostics_.push_back({node.origin.place(), "nested too deeply"});
      return node;
    }
    if (++values_ > most_values) {
      if (values_ == most_values + 1)
        diagnostics_.push_back(
            {node.origin.place(),
             fmt::format("more than {} values, with those that aliases repeat", most_values)});
      return node;
    }
    switch (yaml.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node.kind = Node::Kind::scalar;
        node.text = yaml.Scalar();
        break;
      case YAML::NodeType::Sequence:
        node.kind = Node::Kind::list;
        for (const YAML::Node& item : yaml) {
          if (values_ > most_values) break;
          node.items.push_back(convert(item, depth + 1));
        }
        break;
      case YAML::NodeType::Map:
        node.kind = Node::Kind::map;
        for (const auto& pair : yaml) {
          if (values_ > most_values) break;
          add_entry(node, pair.first, pair.second, depth);
        }
        break;
    }
    return node;
  }

  void add_entry(Node& map, const YAML::Node& key, const YAML::Node& value, int depth) {
    const Origin origin = places_.at(key.Mark());
    if (!key.IsScalar()) {
      diagnostics_.push_back({origin.place(), "a key must be a plain word"});
      return;
    }
    if (map.find(key.Scalar()) != nullptr) {
      diagnostics_.push_back({origin.place(), fmt::format("key `{}` is given twice", key.Scalar())});
      return;
    }
    map.entries.push_back({key.Scalar(), origin, convert(value, depth + 1)});
  }

  Places places_;
  std::vector<Diagnostic>& diagnostics_;
  std::size_t values_ = 0;
};

class FileReader {
 public:
  explicit FileReader(std::vector<Diagnostic>& diagnostics) : diagnostics_(diagnostics) {}

  Node read(const fs::path& path, const Origin& wanted_by) {
    const std::string where = wanted_by.is_default() ? path.string() : wanted_by.place();
    std::error_code error;
    const fs::path identity = fs::weakly_canonical(path, error);
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      std::string chain;
      for (const fs::path& each : open_) chain += each.filename().string() + " -> ";
      diagnostics_.push_back(
          {where, fmt::format("a machine file includes itself: {}{}", chain, identity.filename().string())});
      return {};
    }
    std::string text;
    try {
      text = read_text(path);
    } catch (const std::runtime_error& unreadable) {
      diagnostics_.push_back(
          {where, fmt::format("cannot read the machine file `{}`: {}", path.string(), unreadable.what())});
      return {};
    }
    const Origin origin{path.string(), 1, 1};
    Node own = Converter(Places(origin, true), diagnostics_).parse(text);
    if (own.kind == Node::Kind::empty) own.origin = origin;
    open_.push_back(identity);
    Node result = with_includes(std::move(own), path);
    open_.pop_back();
    return result;
  }

 private:
  Node with_includes(Node own, const fs::path& path) {
    if (own.kind != Node::Kind::map) return own;
    const Node* wanted = own.find("include");
    if (wanted == nullptr) return own;
    if (wanted->kind != Node::Kind::scalar || wanted->text.empty()) {
      diagnostics_.push_back({wanted->origin.place(), "include needs the name of one file"});
      own.erase("include");
      return own;
    }
    const std::size_t faults = diagnostics_.size();
    Node below = read(included(path, wanted->text), wanted->origin);
    own.erase("include");
    // What a file lacks is another's fault if that could not be read.
    if (below.kind != Node::Kind::map) return diagnostics_.size() > faults ? Node{} : own;
    below.origin = own.origin;
    merge_over(below, std::move(own));
    return below;
  }

  static fs::path included(const fs::path& by, const std::string& name) {
    fs::path beside = by.parent_path() / name;
    std::error_code error;
    if (fs::is_regular_file(beside, error) || name.find('/') != std::string::npos) return beside;
    return find_listed(name.ends_with(".yaml") ? fs::path(name).stem().string() : name).value_or(beside);
  }

  std::vector<Diagnostic>& diagnostics_;
  std::vector<fs::path> open_;
};

}  // namespace

Node read_file(const std::filesystem::path& path, std::vector<Diagnostic>& diagnostics) {
  return FileReader(diagnostics).read(path, {});
}

Node read_value(const std::string& text, const Origin& origin, std::vector<Diagnostic>& diagnostics) {
  return Converter(Places(origin, false), diagnostics).parse(text);
}

}  // namespace mpisim::machine
