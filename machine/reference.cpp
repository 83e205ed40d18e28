#include "machine/reference.hpp"

#include <fmt/format.h>

#include <cctype>

#include "machine/schema.hpp"

namespace mpisim::machine {

namespace {

std::string default_of(const Field& field) {
  if (field.required) return "required";
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
  return writer.text;
}

}  // namespace mpisim::machine
