// What the commands print with --json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/trace/trace.hpp"
#include "scenarios/compare.hpp"
#include "scenarios/json_fwd.hpp"
#include "scenarios/judge.hpp"

namespace lockstep::cli {

using scenarios::Json;

/// A row of `lockstep list`.
struct Listed {
  std::string group;  ///< "protocols", "scenarios", ...
  std::string name;
  std::string text;
};

/// A lesson of `lockstep learn`: texts and commands in their order; each part is one of them.
struct LessonTold {
  struct Part {
    std::string text;
    std::vector<std::string> command;
    std::vector<std::string> answers;  ///< to the question before the command; may be empty
    std::string right;                 ///< the letter of the right one
  };
  std::size_t number = 0;
  std::string name, title;
  std::vector<Part> parts;
};

/// What became of a scenario of `lockstep test`.
struct Tested {
  enum class Status : std::uint8_t {
    as_expected,
    different,
    unaudited,  ///< as expected, but the audit that was asked for reached a limit
    broken,     ///< bad input
    failure,    ///< of lockstep itself
    not_run     ///< interrupted before or while it ran
  };
  std::string name;  ///< as the printout calls it
  std::string file;
  Status status = Status::not_run;
  std::string text;  ///< what came, or what went wrong, in one line
  double seconds = 0;
  std::optional<checker::Result> result;  ///< if there is a verdict
  std::string told;                       ///< the run that violates, if that was not expected
  std::optional<checker::Trace> trace;    ///< the same
  std::filesystem::path folder;           ///< of its protocol
};
/// "as-expected", "different", ...
const char* name(Tested::Status);

std::string list_report(const std::vector<Listed>& rows);
std::string lessons_report(const std::vector<LessonTold>& lessons);
/// `exit_code` is what the command ends with.
std::string test_report(const std::vector<Tested>& all, int exit_code);
/// Of a protocol that only one version has: `status` is "new" or "deleted".
std::string lone_report(const std::string& status, int exit_code);
/// What differs between two versions, and the counterexample to the first that got weaker.
std::string diff_report(const std::vector<scenarios::Difference>& differences,
                        const std::optional<scenarios::Judgement>& shown, int exit_code);
std::string trace_report(const checker::Trace& trace);
Json trace_json(const checker::Trace& trace);
/// Keys and values of the simulated world may be any bytes; JSON is UTF-8.
std::string text_of(const Json& json);
/// `exit_code` is what the command ends with; `trace_file` may be empty.
std::string check_report(const scenarios::Judgement& judgement, int exit_code,
                         const std::string& trace_file);

}  // namespace lockstep::cli
