#pragma once
// Keys of a machine file for replaceable modules (simkernel/modules.hpp), and their values for the modules.
#include <memory>
#include <string>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "machine/schema.hpp"
#include "machine/values.hpp"
#include "simkernel/modules.hpp"

namespace mpisim::machine {

/// A module's parameter as a key.
Field field_of(const kernel::Parameter& parameter);

/// Adds the modules to a section: a choice among them under the key `model`, before its other keys, and for
/// each the keys of its parameters. An empty `fallback` means that `model` must be given.
template <class Product>
void add_modules(Field& section, const kernel::ModuleTable<kernel::Module<Product>>& modules,
                 const std::string& fallback, const std::string& meaning) {
  Field model{.name = "model", .type = FieldType::choice, .fallback = fallback, .meaning = meaning};
  model.required = fallback.empty();
  for (const kernel::Module<Product>& module : modules) {
    model.words.push_back(module.name);
    Variant variant{module.name, module.summary, {}};
    for (const kernel::Parameter& parameter : module.parameters)
      variant.fields.push_back(field_of(parameter));
    section.variants.push_back(std::move(variant));
  }
  section.fields.insert(section.fields.begin(), std::move(model));
}

/// The names of modules that a key chooses among.
template <class Kind>
std::vector<std::string> names_of(const kernel::ModuleTable<Kind>& modules) {
  std::vector<std::string> names;
  for (const Kind& module : modules) names.push_back(module.name);
  return names;
}

/// A checked section as the parameters of its module; must not outlive it.
std::unique_ptr<kernel::Parameters> parameters_of(const Node& section);

/// What the module that `section` has chosen makes of its values. Throws std::invalid_argument as
/// the module does.
template <class Product>
Product build_module(const kernel::ModuleTable<kernel::Module<Product>>& modules, const Node& section) {
  return modules.find(section.find("model")->text)->build(*parameters_of(section));
}

/// The complaint "key: what is wrong" of a module about the values of `section` (at `path`), with its place.
Diagnostic complaint_about(const Node& section, const std::string& path, const std::string& complaint);

}  // namespace mpisim::machine
