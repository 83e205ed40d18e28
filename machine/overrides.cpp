#include "machine/overrides.hpp"

#include <fmt/format.h>

#include <charconv>

#include "machine/reader.hpp"
#include "machine/schema.hpp"

namespace mpisim::machine {

namespace {

/// Keys and indices of a path; empty if the path is malformed.
std::vector<std::string> steps_of(std::string path) {
  for (std::size_t open = path.find('['); open != std::string::npos; open = path.find('[')) {
    const std::size_t close = path.find(']', open);
    if (close == std::string::npos) return {};
    path = path.substr(0, open) + "." + path.substr(open + 1, close - open - 1) + path.substr(close + 1);
  }
  std::vector<std::string> steps;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = path.find('.', begin);
    std::string step = path.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (step.empty()) return {};
    steps.push_back(std::move(step));
    if (dot == std::string::npos) return steps;
    begin = dot + 1;
  }
}

/// The schema of the section at `steps` (without the last one), if it is a section.
const Field* section_at(const std::vector<std::string>& steps) {
  const Field* field = &machine_schema();
  for (std::size_t i = 0; i + 1 < steps.size() && field != nullptr; ++i)
    field = find_field(*field, "", steps[i]);
  return field;
}

/// After a change of model: what the file says for its own model does not describe another one. Keys that an
/// earlier override gave stay.
void drop_keys_of_other_models(Node& section, const std::vector<std::string>& steps,
                               const std::string& model) {
  const Field* schema = section_at(steps);
  if (schema == nullptr || find_variant(*schema, model) == nullptr) return;
  const Node* given = section.find("model");
  const std::string former = given != nullptr ? given->text : find_field(*schema, "", "model")->fallback;
  const Variant* variant = find_variant(*schema, former);
  if (former == model || variant == nullptr) return;
  for (const Field& field : variant->fields) {
    const Node* value = section.find(field.name);
    if (value != nullptr && value->origin.line != 0) section.erase(field.name);
  }
}

/// After a change of class: the prices and the score of the file describe its own processor. Those that an
/// earlier override gave stay.
void drop_figures_of_other_class(Node& processor, const std::string& name) {
  const Node* former = processor.find("class");
  if (former != nullptr && former->text == name) return;
  const Node* score = processor.find("score");
  if (score != nullptr && score->origin.line != 0) processor.erase("score");
  if (Node* prices = processor.find("cost"))
    std::erase_if(prices->entries, [](const Entry& entry) { return entry.value.origin.line != 0; });
}

class Override {
 public:
  Override(const std::string& assignment, std::vector<Diagnostic>& diagnostics)
      : origin_{"--set " + assignment, 0, 0}, diagnostics_(diagnostics) {}

  void apply(Node& tree, const std::vector<std::string>& steps, Node value) {
    Node* node = &tree;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size();
      if (node->kind == Node::Kind::list) {
        node = item(*node, steps, i);
      } else {
        if (last && steps[i] == "model") drop_keys_of_other_models(*node, steps, value.text);
        if (last && steps[0] == "processor" && steps[i] == "class")
          drop_figures_of_other_class(*node, value.text);
        node = key(*node, steps, i);
      }
      if (node == nullptr) return;
    }
    *node = std::move(value);
  }

  void fault(std::string message) { diagnostics_.push_back({origin_.place(), std::move(message)}); }
  const Origin& origin() const { return origin_; }

 private:
  static std::string path_to(const std::vector<std::string>& steps, std::size_t count) {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) path += (i == 0 ? "" : ".") + steps[i];
    return path;
  }

  Node* item(Node& list, const std::vector<std::string>& steps, std::size_t i) {
    std::size_t index = 0;
    const std::string& text = steps[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size() && index < list.items.size())
      return &list.items[index];
    fault(fmt::format("{} is a list of {} values (indices 0 to {}); `{}` is none of them", path_to(steps, i),
                      list.items.size(), static_cast<long>(list.items.size()) - 1, text));
    return nullptr;
  }

  Node* key(Node& map, const std::vector<std::string>& steps, std::size_t i) {
    if (map.kind == Node::Kind::scalar) {
      fault(fmt::format("{} is a single value and has no key `{}`", path_to(steps, i), steps[i]));
      return nullptr;
    }
    if (map.kind == Node::Kind::empty) {
      map.kind = Node::Kind::map;
      map.origin = origin_;
    }
    if (Node* existing = map.find(steps[i])) return existing;
    map.entries.push_back({steps[i], origin_, Node{}});
    map.entries.back().value.origin = origin_;
    return &map.entries.back().value;
  }

  Origin origin_;
  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace

void apply_override(Node& tree, const std::string& assignment, std::vector<Diagnostic>& diagnostics) {
  Override change(assignment, diagnostics);
  const std::size_t equals = assignment.find('=');
  const std::vector<std::string> steps =
      equals == std::string::npos ? std::vector<std::string>() : steps_of(assignment.substr(0, equals));
  if (steps.empty()) {
    change.fault("needs the form path=value, for example --set network.model=ideal");
    return;
  }
  const std::size_t before = diagnostics.size();
  Node value = read_value(assignment.substr(equals + 1), change.origin(), diagnostics);
  if (value.kind == Node::Kind::empty) value.origin = change.origin();
  if (diagnostics.size() == before) change.apply(tree, steps, std::move(value));
}

}  // namespace mpisim::machine
