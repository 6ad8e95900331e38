// See the header.
#include "sim/redis/shared_reply.hpp"

#include <utility>

#include "sim/redis/reply.hpp"

namespace lockstep::sim {

SharedReply::SharedReply() {
  static const auto null = std::make_shared<const Reply>();
  reply_ = null;
}

SharedReply::SharedReply(Reply reply) : reply_(std::make_shared<const Reply>(std::move(reply))) {}

bool SharedReply::is_error() const { return reply_->is_error(); }

bool operator==(const SharedReply& a, const SharedReply& b) { return *a == *b; }

}  // namespace lockstep::sim
