// A script told line by line: each line as it is reached, what it called, and which keys it
// changed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/redis/script/observer.hpp"
#include "sim/redis/server/server.hpp"

namespace lockstep::cli {

/// How the keys of a database differ, a sentence each: "lock = a, expires in 30000 ms", "lock is
/// gone". `now` is the server's clock.
std::vector<std::string> key_changes(const sim::Keys& before, const sim::Keys& after,
                                     sim::WallTime now);

/// Something that happened in a script.
struct ScriptEvent {
  enum class Kind : std::uint8_t { line, call, change };
  Kind kind = Kind::line;
  int line = 0;                 ///< of the script
  std::string text;             ///< the line as it stands there, the request, or the change
  sim::SharedReply reply = {};  ///< to a call
};

/// Watches the server's scripts while it lives. A script's last events come with finish().
class ScriptTracer : public sim::ScriptObserver {
 public:
  /// `tell` must not throw.
  ScriptTracer(sim::Server& server, const std::string& script,
               std::function<void(const ScriptEvent&)> tell);
  ~ScriptTracer() override;
  ScriptTracer(const ScriptTracer&) = delete;
  ScriptTracer& operator=(const ScriptTracer&) = delete;

  void at_line(int line) override;
  void called(const sim::Request& request, const sim::Reply& reply) override;
  void finish();

 private:
  sim::Server& server_;
  std::vector<std::string> lines_;
  std::function<void(const ScriptEvent&)> tell_;
  sim::Keys before_;
  int line_ = 0;
};

/// An event as --trace and .step show it, with its line break.
std::string told(const ScriptEvent& event);

}  // namespace lockstep::cli
