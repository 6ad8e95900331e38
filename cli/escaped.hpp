// Text inside XML, HTML, Markdown, Mermaid and workflow commands: as it is to be read, whatever is
// in it.
#pragma once

#include <string>

namespace lockstep::cli {

/// `text` as XML 1.0 and HTML may hold it, also in an attribute: escaped, and with U+FFFD for what
/// no XML document can contain (control characters, bytes that are not UTF-8).
std::string xml_escaped(const std::string& text);

/// In one line, also in a cell of a table: nothing in it is Markdown, HTML, or on GitHub a mention
/// or a reference.
std::string markdown_escaped(const std::string& text);

/// A message or a note of a Mermaid diagram: one line, with nothing that Mermaid would read.
std::string mermaid_escaped(const std::string& text);

/// What a workflow command of GitHub says (its documentation, "Workflow commands"): one line.
std::string workflow_escaped(const std::string& text);
/// The same as one of its properties, which end at a comma or a colon.
std::string workflow_property(const std::string& text);

}  // namespace lockstep::cli
