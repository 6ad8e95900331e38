// `lockstep eval`: a script on an empty or prepared keyspace, as redis-cli --eval would show it.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/eval_report.hpp"
#include "cli/script_file.hpp"
#include "cli/script_trace.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::cli {

namespace {

void prepare(sim::Server& server, sim::SessionId session, const EvalArguments& arguments, Io& io) {
  for (const auto& pair : arguments.set) {
    const auto equals = pair.find('=');
    if (equals == pair.npos)
      throw sim::BadInput(fmt::format("--set: found `{}`, expected KEY=VALUE", pair));
    server.submit(session, {"SET", pair.substr(0, equals), pair.substr(equals + 1)});
  }
  for (const auto& file : arguments.load)
    run_commands(server, session, file, whole_file(file, io.in));
}

/// Gathers a script's events line by line.
void note(std::vector<TracedLine>& trace, const ScriptEvent& event) {
  if (event.kind == ScriptEvent::Kind::line || trace.empty())
    trace.push_back({event.line, "", {}, {}});
  auto& last = trace.back();
  if (event.kind == ScriptEvent::Kind::line) last.text = event.text;
  if (event.kind == ScriptEvent::Kind::call) last.calls.push_back({event.text, event.reply});
  if (event.kind == ScriptEvent::Kind::change) last.changes.push_back(event.text);
}

}  // namespace

int eval(const EvalArguments& arguments, Io& io) {
  sim::Server server(server_mode(arguments.server, arguments.draw_seed),
                     arguments.clock_ms ? sim::WallTime{*arguments.clock_ms} : sim::kEpoch);
  const auto session = server.open();
  prepare(server, session, arguments, io);
  const auto script = whole_file(arguments.file, io.in);
  expect_compiles(server, session, arguments.file, script);

  std::vector<TracedLine> trace;
  sim::Reply reply;
  {
    std::optional<ScriptTracer> tracer;
    if (arguments.trace)
      tracer.emplace(server, script, [&](const ScriptEvent& event) {
        if (arguments.json)
          note(trace, event);
        else
          io.out << told(event);
      });
    const auto deliveries = server.submit(session, eval_request(script, arguments.words));
    if (tracer) tracer->finish();
    reply = reply_to(server, deliveries, session);
  }
  if (arguments.json)
    io.out << eval_report(reply, key_changes({}, server.keyspace().keys, server.now()), trace);
  else
    io.out << sim::shown(reply) << '\n';
  return reply.is_error() ? kViolated : kAsExpected;
}

}  // namespace lockstep::cli
