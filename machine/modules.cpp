#include "machine/modules.hpp"

#include <fmt/format.h>

namespace mpisim::machine {

namespace {

FieldType type_of(kernel::ParameterType type) {
  using kernel::ParameterType;
  switch (type) {
    case ParameterType::time:
      return FieldType::time;
    case ParameterType::bandwidth:
      return FieldType::bandwidth;
    case ParameterType::bytes:
      return FieldType::bytes;
    case ParameterType::integers:
    case ParameterType::integer:
      return FieldType::integer;
    case ParameterType::flags:
    case ParameterType::flag:
      return FieldType::flag;
    case ParameterType::pieces:
      return FieldType::records;
    case ParameterType::number:
      return FieldType::number;
    case ParameterType::choice:
      return FieldType::choice;
    case ParameterType::section:
      return FieldType::section;
  }
  return FieldType::text;
}

class TreeParameters final : public kernel::Parameters {
 public:
  explicit TreeParameters(const Node& section) : section_(section) {}

  kernel::SimTime time(const std::string& name) const override { return time_at(section_, name); }
  kernel::ByteTime per_byte(const std::string& name) const override { return per_byte_at(section_, name); }
  kernel::Bytes bytes(const std::string& name) const override { return bytes_at(section_, name); }
  std::uint64_t integer(const std::string& name) const override { return integer_at(section_, name); }
  double number(const std::string& name) const override {
    return std::get<double>(section_.find(name)->value);
  }
  std::string choice(const std::string& name) const override { return section_.find(name)->text; }
  bool flag(const std::string& name) const override { return std::get<bool>(section_.find(name)->value); }
  std::unique_ptr<Parameters> section(const std::string& name) const override {
    return parameters_of(*section_.find(name));
  }
  std::vector<std::uint64_t> integers(const std::string& name) const override {
    std::vector<std::uint64_t> values;
    for (const Node& item : section_.find(name)->items) values.push_back(std::get<std::uint64_t>(item.value));
    return values;
  }
  std::vector<bool> flags(const std::string& name) const override {
    std::vector<bool> values;
    for (const Node& item : section_.find(name)->items) values.push_back(std::get<bool>(item.value));
    return values;
  }
  std::vector<std::unique_ptr<Parameters>> pieces(const std::string& name) const override {
    std::vector<std::unique_ptr<Parameters>> result;
    for (const Node& item : section_.find(name)->items) result.push_back(parameters_of(item));
    return result;
  }

 private:
  const Node& section_;
};

}  // namespace

Field field_of(const kernel::Parameter& parameter) {
  using kernel::ParameterType;
  Field field{.name = parameter.name,
              .type = type_of(parameter.type),
              .fallback = parameter.fallback,
              .meaning = parameter.meaning};
  field.required = parameter.fallback.empty() && parameter.type != ParameterType::section;
  field.words = parameter.words;
  if (parameter.infinite) field.words = {"infinite"};
  field.list = parameter.type == ParameterType::integers || parameter.type == ParameterType::flags;
  field.positive = !parameter.zero && (field.type == FieldType::integer || field.type == FieldType::bytes);
  field.at_most = parameter.at_most;
  for (const kernel::Parameter& each : parameter.fields) field.fields.push_back(field_of(each));
  return field;
}

std::unique_ptr<kernel::Parameters> parameters_of(const Node& section) {
  return std::make_unique<TreeParameters>(section);
}

Diagnostic complaint_about(const Node& section, const std::string& path, const std::string& complaint) {
  const Node* node = section.at(complaint.substr(0, complaint.find(':')));
  const Origin& origin = node == nullptr || node->origin.is_default() ? section.origin : node->origin;
  return {origin.place(), fmt::format("{}.{}", path, complaint)};
}

}  // namespace mpisim::machine
