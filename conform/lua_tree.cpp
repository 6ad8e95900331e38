// Scripts as trees: their text, and shrinking.
#include "conform/lua_tree.hpp"

namespace lockstep::conform {

std::string Node::text() const {
  std::string all = texts[0];
  for (std::size_t i = 0; i < children.size(); ++i) all += children[i].text() + texts[i + 1];
  return all;
}

Node node(Node::Kind kind, const std::string& format, std::vector<Node> children) {
  Node made{kind, {""}, std::move(children)};
  for (const char c : format) {
    if (c == '$') {
      made.texts.emplace_back();
    } else {
      made.texts.back() += c;
    }
  }
  return made;
}

namespace {

using Kind = Node::Kind;

/// The tree whose node at `path` is another one; the path goes down by the numbers of children.
Node& at(Node& tree, const std::vector<std::size_t>& path) {
  Node* found = &tree;
  for (const std::size_t i : path) found = &found->children[i];
  return *found;
}

/// What could stand instead of a node, smaller.
std::vector<Node> instead_of(const Node& old) {
  std::vector<Node> smaller;
  if (old.kind == Kind::block) {
    for (std::size_t i = 0; i < old.children.size(); ++i) {
      Node without = old;
      without.children.erase(without.children.begin() + static_cast<std::ptrdiff_t>(i));
      without.texts.erase(without.texts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      smaller.push_back(std::move(without));
    }
    return smaller;
  }
  if (old.kind == Kind::expression && !old.children.empty()) {
    for (const char* leaf : {"nil", "1", "''"}) smaller.push_back(node(Kind::expression, leaf));
  }
  for (const Node& child : old.children) {
    if (child.kind == old.kind || (old.kind == Kind::statement && child.kind == Kind::block)) {
      smaller.push_back(child);
    }
  }
  return smaller;
}

/// Makes the node at `path` and what is below it as small as possible; true if anything changed.
bool shrink_below(Node& tree, std::vector<std::size_t>& path,
                  const std::function<bool(const std::string&)>& differs) {
  bool changed = false;
  bool again = true;
  while (again) {
    again = false;
    const Node old = at(tree, path);
    for (Node& candidate : instead_of(old)) {
      at(tree, path) = std::move(candidate);
      again = differs(tree.text());
      if (again) break;
      at(tree, path) = old;
    }
    changed = changed || again;
  }
  for (std::size_t i = 0; i < at(tree, path).children.size(); ++i) {
    path.push_back(i);
    if (shrink_below(tree, path, differs)) changed = true;
    path.pop_back();
  }
  return changed;
}

}  // namespace

Node shrunk(Node tree, const std::function<bool(const std::string&)>& differs) {
  std::vector<std::size_t> path;
  while (shrink_below(tree, path, differs)) path.clear();
  return tree;
}

}  // namespace lockstep::conform
