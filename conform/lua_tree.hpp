// A generated script as a tree, so that a script that differs can be shrunk.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockstep::conform {

/// A piece of a script: `texts` with the children between them (one text more than children).
struct Node {
  enum class Kind { expression, statement, block } kind = Kind::expression;
  std::vector<std::string> texts;
  std::vector<Node> children;

  std::string text() const;
};

/// A node whose format has a '$' for each child.
Node node(Node::Kind kind, const std::string& format, std::vector<Node> children = {});

/// The smallest tree that is found by leaving out statements and putting operands in the place of
/// expressions while `differs` is true of the tree's text.
Node shrunk(Node tree, const std::function<bool(const std::string&)>& differs);

}  // namespace lockstep::conform
