#include "machine/reference.hpp"

#include <fmt/format.h>

#include <cctype>

#include "machine/processor_class.hpp"
#include "machine/schema.hpp"

namespace mpisim::machine {

namespace {

std::string default_of(const Field& field) {
  if (field.required) return "required";
  if (!field.derived.empty()) return field.derived;
  return field.fallback.empty() ? "none" : "`" + field.fallback + "`";
}

std::string sentence(std::string words) {
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

class Writer {
 public:
  std::string text;

  void section(const Field& field, const std::string& path) {
    heading(path, field.meaning);
    rows(field.fields);
    for (const Variant& variant : field.variants) {
      heading(path + "` with `model: " + variant.model, variant.meaning);
      rows(variant.fields);
      nested(variant.fields, path);
    }
    nested(field.fields, path);
  }

  /// Cycles are written as in processor_class.cpp, so that they can be compared with its sources.
  void classes() {
    text +=
        "### Classes of processors\n\nCycles per operation where `processor.cost` has no price.\n\n| class | "
        "clock |";
    const Field& section = *find_field(machine_schema(), "", "processor");
    const std::vector<Field>& prices = find_field(section, "", "cost")->fields;
    for (const Field& price : prices) text += fmt::format(" `{}` |", price.name);
    text += " stands for |\n|---|---|";
    for (std::size_t i = 0; i <= prices.size(); ++i) text += "---|";
    for (const ProcessorClass& each : processor_classes()) {
      text += fmt::format("\n| `{}` | {} |", each.name, each.clock);
      for (const double cycles : each.cycles) text += fmt::format(" {} |", cycles);
      text += fmt::format(" {} |", each.meaning);
    }
    text += "\n\n";
  }

 private:
  void heading(const std::string& path, const std::string& meaning) {
    text += path.empty() ? "### Top level\n\n" : fmt::format("### `{}`\n\n{}.\n\n", path, sentence(meaning));
    text += "| key | value | default | meaning |\n|---|---|---|---|\n";
  }

  void rows(const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      const bool section = field.type == FieldType::section;
      text += fmt::format("| `{}` | {} | {} | {} |\n", field.name, type_name(field),
                          section ? (field.optional ? "absent" : "its defaults") : default_of(field),
                          field.meaning);
    }
    text += "\n";
  }

  void nested(const std::vector<Field>& fields, const std::string& path) {
    const Field* last_records = nullptr;
    for (const Field& field : fields) {
      const std::string here = path.empty() ? field.name : path + "." + field.name;
      if (field.type == FieldType::section) section(field, here);
      if (field.type == FieldType::records) {
        // The collective operations all have the same record: it is written once.
        if (last_records == nullptr) records(field, path, fields.size() > 5 ? "OPERATION" : field.name);
        last_records = &field;
      }
    }
  }

  void records(const Field& field, const std::string& path, const std::string& name) {
    heading(
        fmt::format("{}.{}.N", path, name),
        field.shorthand.empty()
            ? "one record of the list"
            : fmt::format("one record of the list; a name alone stands for `{{{}: NAME}}`", field.shorthand));
    rows(field.fields);
  }
};

}  // namespace

std::string reference() {
  Writer writer;
  writer.section(machine_schema(), "");
  writer.classes();
  return writer.text;
}

}  // namespace mpisim::machine
