#include "machine/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "machine/diagnostic.hpp"

namespace mpisim::machine {

std::string to_string(const Diagnostic& diagnostic) {
  return diagnostic.place.empty() ? diagnostic.message : diagnostic.place + ": " + diagnostic.message;
}

namespace {

std::string lines_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& each : diagnostics) text += (text.empty() ? "" : "\n") + to_string(each);
  return text;
}

}  // namespace

InvalidMachine::InvalidMachine(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(lines_of(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::string Origin::place() const {
  if (source.empty()) return "default";
  return line == 0 ? source : fmt::format("{}:{}:{}", source, line, column);
}

const Node* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [key](const Entry& each) { return each.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

void Node::erase(std::string_view key) {
  std::erase_if(entries, [key](const Entry& each) { return each.key == key; });
}

const Node* Node::at(std::string_view path) const {
  const Node* node = this;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (node->kind == Kind::list) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      const bool good =
          error == std::errc() && end == step.data() + step.size() && index < node->items.size();
      node = good ? &node->items[index] : nullptr;
    } else {
      node = node->find(step);
    }
  }
  return node;
}

void merge_over(Node& below, Node above) {
  if (below.kind != Node::Kind::map || above.kind != Node::Kind::map) {
    below = std::move(above);
    return;
  }
  const Node* old_model = below.find("model");
  const Node* new_model = above.find("model");
  if (old_model != nullptr && new_model != nullptr && old_model->text != new_model->text) {
    below = std::move(above);
    return;
  }
  const Node* old_class = below.find("class");
  const Node* new_class = above.find("class");
  if (new_class != nullptr && (old_class == nullptr || old_class->text != new_class->text)) {
    below.erase("cost");
    below.erase("score");
  }
  for (Entry& entry : above.entries) {
    Node* existing = below.find(entry.key);
    if (existing != nullptr) {
      merge_over(*existing, std::move(entry.value));
    } else {
      below.entries.push_back(std::move(entry));
    }
  }
}

}  // namespace mpisim::machine
