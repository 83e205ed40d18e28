#include "machine/show.hpp"

#include <fmt/format.h>

#include <cctype>

namespace mpisim::machine {

namespace {

bool is_plain(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '-') return false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        std::string_view(" ._/+-").find(c) == std::string::npos)
      return false;
  }
  return true;
}

std::string quoted(const std::string& text) {
  if (is_plain(text)) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Value on one line.
std::string flow(const Node& node) {
  std::string text;
  switch (node.kind) {
    case Node::Kind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow(item);
      return "[" + text + "]";
    case Node::Kind::map:
      for (const Entry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + entry.key + ": " + flow(entry.value);
      return "{" + text + "}";
    case Node::Kind::scalar:
      return quoted(node.text);
    case Node::Kind::empty:
      break;
  }
  return "";
}

class Printer {
 public:
  std::string text;

  void map(const Node& node, int indent) {
    for (const Entry& entry : node.entries) {
      const Node& value = entry.value;
      if (value.kind == Node::Kind::map) {
        if (value.entries.empty()) continue;
        text += fmt::format("{:{}}{}:\n", "", indent, entry.key);
        map(value, indent + 2);
      } else if (value.kind == Node::Kind::list && !value.items.empty() &&
                 value.items.front().kind == Node::Kind::map) {
        text += fmt::format("{:{}}{}:\n", "", indent, entry.key);
        for (const Node& item : value.items)
          line(fmt::format("{:{}}- {}", "", indent + 2, flow(item)), item.origin);
      } else {
        line(fmt::format("{:{}}{}: {}", "", indent, entry.key, flow(value)), value.origin);
      }
    }
  }

 private:
  void line(const std::string& content, const Origin& origin) {
    text += fmt::format("{:<44}  # {}\n", content, origin.place());
  }
};

}  // namespace

std::string show(const Description& description) {
  Printer printer;
  printer.map(description.tree(), 0);
  if (description.tree().at("processor.score")->text == "auto")
    printer.text += fmt::format("# processor.score: auto is {:.4g} Mop/s here\n", description.score() / 1e6);
  return printer.text;
}

}  // namespace mpisim::machine
