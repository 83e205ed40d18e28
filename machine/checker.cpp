#include "machine/checker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mpisim::machine {

namespace {

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

class Checker {
 public:
  explicit Checker(std::vector<Diagnostic>& diagnostics) : diagnostics_(diagnostics) {}

  Node section(const Field& schema, const Node& given, const std::string& path) {
    Node result;
    result.kind = Node::Kind::map;
    result.origin = given.origin;
    if (given.kind != Node::Kind::map && given.kind != Node::Kind::empty) {
      fault(given.origin, fmt::format("{} must be a section of keys and values, not {}",
                                      path.empty() ? "a machine file" : path, kind_name(given)));
      return result;
    }
    const std::string model = model_of(schema, given);
    unknown_keys(schema, model, given, path);
    for (const Field* field : fields_of(schema, model)) {
      const Node* value = given.find(field->name);
      const std::string here = join(path, field->name);
      if (value == nullptr) {
        absent(*field, given, here, result);
      } else {
        result.entries.push_back(
            {field->name, key_origin(given, field->name), value_of(*field, *value, here)});
      }
    }
    return result;
  }

 private:
  void fault(const Origin& origin, std::string message) {
    diagnostics_.push_back({origin.place(), std::move(message)});
  }

  static const char* kind_name(const Node& node) {
    switch (node.kind) {
      case Node::Kind::scalar:
        return "a single value";
      case Node::Kind::list:
        return "a list";
      case Node::Kind::map:
        return "a section";
      case Node::Kind::empty:
        break;
    }
    return "nothing";
  }

  static Origin key_origin(const Node& map, std::string_view key) {
    for (const Entry& entry : map.entries) {
      if (entry.key == key) return entry.origin;
    }
    return map.origin;
  }

  /// The section's model: as given, or its default; empty if it has none.
  static std::string model_of(const Field& schema, const Node& given) {
    if (schema.variants.empty()) return "";
    if (const Node* model = given.find("model")) return model->text;
    const Field* field = find_field(schema, "", "model");
    return field == nullptr ? "" : field->fallback;
  }

  void unknown_keys(const Field& schema, const std::string& model, const Node& given,
                    const std::string& path) {
    for (const Entry& entry : given.entries) {
      if (find_field(schema, model, entry.key) != nullptr) continue;
      const std::string here = join(path, entry.key);
      std::vector<std::string> owners;
      for (const Variant& variant : schema.variants) {
        if (find_field(schema, variant.model, entry.key) != nullptr) owners.push_back(variant.model);
      }
      if (!owners.empty()) {
        // With an unknown model its keys cannot be told from wrong ones; the model itself is reported.
        if (find_variant(schema, model) != nullptr)
          fault(entry.origin, fmt::format("{} belongs to the model {}, not to {}", here,
                                          fmt::join(owners, " and "), model));
        continue;
      }
      std::vector<std::string> known;
      for (const Field* field : fields_of(schema, model)) known.push_back(field->name);
      fault(entry.origin, fmt::format("unknown key {}; nearest known key: {} (known here: {})", here,
                                      join(path, nearest(entry.key, known)), fmt::join(known, ", ")));
    }
  }

  void absent(const Field& field, const Node& section_node, const std::string& path, Node& result) {
    if (field.required) {
      fault(section_node.origin,
            fmt::format("{} is missing ({}: {})", path, type_name(field), field.meaning));
      return;
    }
    if (field.type == FieldType::section) {
      if (field.optional) return;
      result.entries.push_back({field.name, {}, section(field, Node{}, path)});
      return;
    }
    if (field.fallback.empty()) return;
    Node fallback;
    fallback.kind = Node::Kind::scalar;
    fallback.text = field.fallback;
    result.entries.push_back({field.name, {}, value_of(field, fallback, path)});
  }

  Node value_of(const Field& field, const Node& given, const std::string& path) {
    if (field.type == FieldType::section) return section(field, given, path);
    if (given.kind == Node::Kind::empty) {
      fault(given.origin, fmt::format("{} has no value ({})", path, type_name(field)));
      return given;
    }
    if (field.type == FieldType::records) return list_of(field, given, path, &Checker::record);
    if (field.list) return list_of(field, given, path, &Checker::scalar);
    return scalar(field, given, path);
  }

  Node list_of(const Field& field, const Node& given, const std::string& path,
               Node (Checker::*element)(const Field&, const Node&, const std::string&)) {
    Node result;
    result.kind = Node::Kind::list;
    result.origin = given.origin;
    if (given.kind != Node::Kind::list) {
      result.items.push_back((this->*element)(field, given, path));
      return result;
    }
    if (given.items.empty()) fault(given.origin, fmt::format("{} needs at least one value", path));
    for (std::size_t i = 0; i < given.items.size(); ++i)
      result.items.push_back((this->*element)(field, given.items[i], fmt::format("{}.{}", path, i)));
    return result;
  }

  Node record(const Field& field, const Node& given, const std::string& path) {
    if (given.kind != Node::Kind::scalar || field.shorthand.empty()) return section(field, given, path);
    Node map;
    map.kind = Node::Kind::map;
    map.origin = given.origin;
    map.entries.push_back({field.shorthand, given.origin, given});
    return section(field, map, path);
  }

  Node scalar(const Field& field, const Node& given, const std::string& path) {
    Node result = given;
    if (given.kind != Node::Kind::scalar) {
      fault(given.origin,
            fmt::format("{} must be a single value ({}), not {}", path, type_name(field), kind_name(given)));
      return result;
    }
    const bool is_word = std::find(field.words.begin(), field.words.end(), given.text) != field.words.end();
    if (is_word) return result;
    try {
      result.value = parse(field, given.text);
    } catch (const BadQuantity& error) {
      fault(given.origin, fmt::format("{}: {}{}", path, error.what(), or_words(field)));
    }
    return result;
  }

  static std::string or_words(const Field& field) {
    if (field.words.empty() || field.type == FieldType::choice) return "";
    return fmt::format(" (or the word {})", fmt::join(field.words, ", "));
  }

  static Value parse(const Field& field, const std::string& text) {
    switch (field.type) {
      case FieldType::choice:
        throw BadQuantity(fmt::format("`{}` is not known; use one of {} (nearest: {})", text,
                                      fmt::join(field.words, ", "), nearest(text, field.words)));
      case FieldType::integer:
        return whole(field, text);
      case FieldType::number:
        return real(field, text);
      case FieldType::flag:
        if (text == "true" || text == "on") return true;
        if (text == "false" || text == "off") return false;
        throw BadQuantity(fmt::format("`{}` is not true or false", text));
      case FieldType::time:
        return parse_time(text);
      case FieldType::bytes:
        return amount(field, text);
      case FieldType::bandwidth:
        return parse_bandwidth(text);
      case FieldType::frequency:
        return parse_frequency(text);
      case FieldType::rate:
        return parse_rate(text);
      case FieldType::cost:
        return parse_cost(text);
      default:
        if (text.empty()) throw BadQuantity("needs some text");
        return {};
    }
  }

  static Value whole(const Field& field, const std::string& text) {
    const std::uint64_t value = parse_integer(text);
    if (field.positive && value == 0) throw BadQuantity("must be at least 1");
    if (field.at_most > 0 && static_cast<double>(value) > field.at_most)
      throw BadQuantity(fmt::format("must be at most {}, not {}", field.at_most, value));
    return value;
  }

  static Value real(const Field& field, const std::string& text) {
    const double value = parse_number(text);
    if (field.at_most > 0 && value > field.at_most)
      throw BadQuantity(fmt::format("must be at most {}, not {}", field.at_most, value));
    return value;
  }

  static Value amount(const Field& field, const std::string& text) {
    const kernel::Bytes value = parse_bytes(text);
    if (field.positive && value.count() == 0) throw BadQuantity("must be at least 1 B");
    return value;
  }

  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace

Node check(const Field& schema, const Node& tree, std::vector<Diagnostic>& diagnostics) {
  return Checker(diagnostics).section(schema, tree, "");
}

}  // namespace mpisim::machine
