// Strict reading of JSON: every value is reached through a place that knows its file and JSON path,
// so that every error names them. The one way in which this project reads JSON written by people.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/json_fwd.hpp"

namespace lockstep::scenarios {

/// Parses `text`. Throws BadInput "`file`:line:column: ..." for malformed JSON, for a key that
/// stands twice in one object, and for what is nested more than 100 deep.
Json parse_json(const std::string& text, const std::string& file);

/// One value inside a document.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string file, std::string path = "$")
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  /// Throws BadInput "file: $.path: `what`".
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws BadInput unless this is an object whose keys are all among `keys`.
  void expect_object(const std::vector<std::string>& keys) const;

  /// Throws BadInput unless this is the version of `what` that is read; `remedy` says how to get
  /// one.
  void expect_version(std::int64_t version, std::string_view what, std::string_view remedy) const;

  std::optional<JsonPlace> optional(const std::string& key) const;
  JsonPlace required(const std::string& key) const;
  /// Fails naming all of them that are missing.
  void require(std::initializer_list<const char*> keys) const;
  std::vector<JsonPlace> elements() const;  ///< of an array
  std::vector<std::string> keys() const;    ///< of an object

  std::string text() const;  ///< a string that is not empty
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  double number_above_zero() const;
  bool boolean() const;
  /// The index in `names` of the string that stands here.
  std::size_t one_of(const std::vector<std::string>& names, std::string_view what) const;
  bool is_string() const { return value_->is_string(); }
  bool is_boolean() const { return value_->is_boolean(); }
  bool is_integer() const { return value_->is_number_integer(); }

  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  const Json& value() const { return *value_; }

 private:
  [[noreturn]] void fail_type(std::string_view expected) const;

  const Json* value_;
  std::string file_;
  std::string path_;
};

}  // namespace lockstep::scenarios
