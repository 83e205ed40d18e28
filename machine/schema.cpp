#include "machine/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mpisim::machine {

const Variant* find_variant(const Field& section, std::string_view model) {
  for (const Variant& variant : section.variants) {
    if (variant.model == model) return &variant;
  }
  return nullptr;
}

std::vector<const Field*> fields_of(const Field& section, std::string_view model) {
  std::vector<const Field*> all;
  const auto model_key = std::find_if(section.fields.begin(), section.fields.end(),
                                      [](const Field& each) { return each.name == "model"; });
  if (model_key != section.fields.end()) all.push_back(&*model_key);
  if (const Variant* variant = find_variant(section, model)) {
    for (const Field& field : variant->fields) all.push_back(&field);
  }
  for (const Field& field : section.fields) {
    if (field.name != "model") all.push_back(&field);
  }
  return all;
}

const Field* find_field(const Field& section, std::string_view model, std::string_view name) {
  for (const Field* field : fields_of(section, model)) {
    if (field->name == name) return field;
  }
  return nullptr;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({change, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto found = std::min_element(candidates.begin(), candidates.end(),
                                      [word](const std::string& a, const std::string& b) {
                                        return edit_distance(word, a) < edit_distance(word, b);
                                      });
  return found == candidates.end() ? std::string() : *found;
}

namespace {

std::string plain_type_name(const Field& field) {
  switch (field.type) {
    case FieldType::section:
      return "section";
    case FieldType::records:
      return "list of records";
    case FieldType::text:
      return "text";
    case FieldType::choice:
      return fmt::format("{}", fmt::join(field.words, ", "));
    case FieldType::integer:
      return "whole number";
    case FieldType::number:
      return "number";
    case FieldType::flag:
      return "true or false";
    case FieldType::time:
      return "time";
    case FieldType::bytes:
      return "bytes";
    case FieldType::bandwidth:
      return "bandwidth";
    case FieldType::frequency:
      return "frequency";
    case FieldType::rate:
      return "rate";
    case FieldType::cost:
      return "time or cycles";
  }
  return "";
}

}  // namespace

std::string type_name(const Field& field) {
  if (field.list) {
    // One value stands for a list of one.
    return field.type == FieldType::flag ? "true or false, or a list of them"
                                         : "list of " + plain_type_name(field) + "s";
  }
  std::string text = plain_type_name(field);
  if (field.type != FieldType::choice) {
    for (const std::string& word : field.words) text += " or " + word;
  }
  return text;
}

}  // namespace mpisim::machine
