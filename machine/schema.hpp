#pragma once
// What a machine file may say. One table (schema_table.cpp) knows every key: its type, range, default and
// meaning; checking, defaults, suggestions, `mpisim machine show` and the reference in docs/machine-files.md
// are all made from it.
#include <string>
#include <string_view>
#include <vector>

namespace mpisim::machine {

enum class FieldType {
  section,  ///< a map with the keys `fields`
  records,  ///< a list of maps with the keys `fields`
  text,     ///< any words
  choice,   ///< one of `words`
  integer,  ///< whole number without unit
  number,   ///< number without unit
  flag,     ///< true or false
  time,     ///< see units.hpp for this and the following
  bytes,
  bandwidth,
  frequency,
  rate,
  cost,
};

struct Field;

/// The keys that a section has besides its own when its `model` key has this value.
struct Variant {
  std::string model;
  std::string meaning;
  std::vector<Field> fields;
};

struct Field {
  std::string name;
  FieldType type = FieldType::text;
  std::string fallback{};  ///< default as written in a file; empty = none
  std::string derived{};   ///< of keys whose default follows from other keys: how the reference tells it
  std::string meaning{};   ///< one sentence, without the full stop
  bool required = false;
  bool list = false;                 ///< a list of values of this type; one value stands for a list of one
  bool positive = false;             ///< of integers and bytes: at least 1; of numbers: more than 0
  double at_most = 0;                ///< of numbers and integers: largest value; 0 = none
  std::vector<std::string> words{};  ///< of choices: the values; of others: words allowed instead of a value
  std::string shorthand{};           ///< of records: a scalar stands for one record with this key
  bool optional = false;             ///< of sections: left out unless given (no defaults are filled in)
  std::vector<Field> fields{};       ///< of sections and records
  std::vector<Variant> variants{};   ///< of sections with a `model` key
};

/// The whole file as one section.
const Field& machine_schema();

/// Key of `section` (with the given model's keys) by name; null if there is none.
const Field* find_field(const Field& section, std::string_view model, std::string_view name);

/// All keys of a section, in order.
std::vector<const Field*> fields_of(const Field& section, std::string_view model);

const Variant* find_variant(const Field& section, std::string_view model);

/// The candidate with the smallest edit distance to `word` (the first of several); empty if there are none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Number of insertions, deletions, substitutions and swaps of neighbours that lead from one word to another.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// How messages call values of this field: "a time (ps, ns, ...)", "one of a, b".
std::string type_name(const Field& field);

}  // namespace mpisim::machine
