// A file of invariants that belongs to a scenario, not to a protocol: it looks at the world that it
// is shown, and can do nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::sim {

class OwnClaims {
 public:
  /// Loads the Lua text of `file`, as messages name it. Throws BadInput for what is wrong with it,
  /// with its place: also if it states no invariant.
  OwnClaims(const std::string& file, const std::string& text);
  ~OwnClaims();
  OwnClaims(const OwnClaims&) = delete;
  OwnClaims& operator=(const OwnClaims&) = delete;

  /// Lower-case SHA-1 over the file's bytes.
  const std::string& fingerprint() const;
  /// As Program::broken_invariant.
  std::optional<std::string> broken_invariant(const std::string& world) const;
  /// As Program::invariants_compare.
  std::string compare(const std::string& world) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::sim
