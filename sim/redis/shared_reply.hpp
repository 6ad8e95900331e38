// A reply that is only handed on.
#pragma once

#include <memory>

namespace lockstep::sim {

struct Reply;

/// A reply as a value that is cheap to copy and never changes; whoever keeps it need not know what
/// a reply looks like. A null reply by default.
class SharedReply {
 public:
  SharedReply();
  SharedReply(Reply reply);  // NOLINT(google-explicit-constructor): it is the reply
  const Reply& operator*() const { return *reply_; }
  const Reply* operator->() const { return reply_.get(); }
  bool is_error() const;
  /// Whether the replies are equal.
  friend bool operator==(const SharedReply& a, const SharedReply& b);

 private:
  std::shared_ptr<const Reply> reply_;
};

}  // namespace lockstep::sim
