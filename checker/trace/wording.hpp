// Requests, replies and keys as a person reads them: like redis-cli in short form, tokens without
// brackets, scripts by name.
#pragma once

#include <string>

#include "sim/client/program.hpp"
#include "sim/model/action.hpp"
#include "sim/redis/keyspace.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::checker {

/// One argument or value: as it is, or quoted if it is empty or holds blanks or control characters.
std::string worded_value(const std::string& bytes);

/// "SET lock A.1 NX PX 30000", "EVAL release.lua 1 lock A.1". The keyspace's script cache tells
/// which script an EVALSHA means.
std::string worded(const sim::Request& request, const sim::Program& program,
                   const sim::Keyspace& keyspace);

/// "READ", "WRITE with fencing token 3": a request to the resource.
std::string worded_for_resource(const sim::Request& request);

/// OK, (nil), 1, "x", (error) ERR ..., [1, "x"].
std::string worded(const sim::Reply& reply);

/// The value of a key: A.1, or {field: value, ...}.
std::string worded(const sim::Entry& entry);

/// An action as a schedule names it: "deliver A connection 0", "pass 30001 ms".
std::string worded(const sim::Action& action);

}  // namespace lockstep::checker
