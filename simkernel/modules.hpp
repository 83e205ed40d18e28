#pragma once
// Replaceable modules: what the file of a model, a policy or a discipline tells about it, as data.
//
// A module has a name, by which a machine file chooses it, the parameters that it takes (name, type, default,
// meaning), and a function that makes the product from their values. From this the reader of machine files
// makes keys, checks, defaults and documentation, so that a new module is one file and one line in the list
// of its folder (FOLDER/*.def; docs/extending.md has worked examples).
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simkernel/quantities.hpp"

namespace mpisim::kernel {

enum class ParameterType {
  time,       ///< a duration, not negative
  bandwidth,  ///< bytes per second, positive
  bytes,      ///< an amount of data, at least 1 B
  integers,   ///< list of positive whole numbers
  flags,      ///< one true/false, or a list of them
  pieces,     ///< list of records; their keys are `fields`
  integer,    ///< a positive whole number
  number,     ///< a number, at least 0
  choice,     ///< one of `words`
  flag,       ///< true or false
  section,    ///< a map; its keys are `fields`
};

struct Parameter {
  std::string name;
  ParameterType type;
  std::string fallback;              ///< as written in a machine file; empty = must be given
  std::string meaning;               ///< one sentence without the full stop
  bool infinite = false;             ///< `infinite` is a value too
  std::vector<Parameter> fields{};   ///< of ParameterType::pieces and section
  std::vector<std::string> words{};  ///< of ParameterType::choice
  double at_most = 0;                ///< of integer and number: largest value; 0 = none
  bool zero = false;                 ///< of bytes and integer: 0 is a value too
};

/// Checked values of a module's parameters; each getter may be asked for names of its own type only.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual SimTime time(const std::string& name) const = 0;
  virtual ByteTime per_byte(const std::string& name) const = 0;  ///< 0 for infinite bandwidth
  virtual Bytes bytes(const std::string& name) const = 0;        ///< 2^64 - 1 for `infinite`
  virtual std::uint64_t integer(const std::string& name) const = 0;
  virtual double number(const std::string& name) const = 0;
  virtual std::string choice(const std::string& name) const = 0;
  virtual bool flag(const std::string& name) const = 0;
  virtual std::unique_ptr<Parameters> section(const std::string& name) const = 0;
  virtual std::vector<std::uint64_t> integers(const std::string& name) const = 0;
  virtual std::vector<bool> flags(const std::string& name) const = 0;
  virtual std::vector<std::unique_ptr<Parameters>> pieces(const std::string& name) const = 0;
};

template <class Product>
struct Module {
  std::string name;
  std::string summary;  ///< one line, without the full stop
  std::vector<Parameter> parameters;
  /// Throws std::invalid_argument with a message "parameter: what is wrong" if values do not fit together.
  std::function<Product(const Parameters&)> build;
};

/// The modules of one kind, in the order in which they are documented: each a Module, or another structure
/// with `name` and `summary` if the name is all that a machine file says.
template <class Kind>
class ModuleTable {
 public:
  explicit ModuleTable(std::vector<Kind> modules) {
    for (Kind& module : modules) add(std::move(module));
  }

  /// Before the first machine file is read. Throws std::invalid_argument if there is one of this name.
  void add(Kind module) {
    if (find(module.name) != nullptr)
      throw std::invalid_argument("two modules of one kind have the name " + module.name);
    modules_.push_back(std::move(module));
  }

  /// Null if there is none of this name.
  const Kind* find(std::string_view name) const {
    for (const Kind& module : modules_)
      if (module.name == name) return &module;
    return nullptr;
  }

  auto begin() const { return modules_.begin(); }
  auto end() const { return modules_.end(); }

 private:
  std::list<Kind> modules_;  // whose places stay when some are added
};

}  // namespace mpisim::kernel
