// What the commands print with --json.
#pragma once

#include <string>
#include <vector>

#include "checker/trace.hpp"
#include "scenarios/judge.hpp"

namespace lockstep::scenarios {

/// A row of `lockstep list`.
struct Listed {
  std::string group;  ///< "protocols", "scenarios", ...
  std::string name;
  std::string text;
};

/// A cell of `lockstep table`.
struct Cell {
  std::string protocol;
  std::string condition;               ///< "pause", "work > lease", ...
  std::set<sim::Property> properties;  ///< that were checked
  checker::Result result;
};

std::string list_report(const std::vector<Listed>& rows);
std::string table_report(const std::vector<Cell>& cells);
std::string trace_report(const checker::Trace& trace);
Json trace_json(const checker::Trace& trace);
/// Keys and values of the simulated world may be any bytes; JSON is UTF-8.
std::string text_of(const Json& json);
/// `exit_code` is what the command ends with; `trace_file` may be empty.
std::string check_report(const Judgement& judgement, int exit_code, const std::string& trace_file);

}  // namespace lockstep::scenarios
