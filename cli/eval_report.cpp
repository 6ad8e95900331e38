// JSON of scripts that were run by hand; see the header.
#include "cli/eval_report.hpp"

#include "cli/report.hpp"
#include "scenarios/json_reader.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::cli {

namespace {

/// null, a number, a text, an array, {"ok": text} for a status, {"err": text} for an error.
Json reply_json(const sim::Reply& reply) {
  using Kind = sim::Reply::Kind;
  switch (reply.kind) {
    case Kind::null:
      return nullptr;
    case Kind::integer:
      return reply.integer;
    case Kind::bulk:
      return reply.text;
    case Kind::status:
      return {{"ok", reply.text}};
    case Kind::error:
      return {{"err", reply.text}};
    case Kind::array:
      break;
  }
  Json items = Json::array();
  for (const auto& item : reply.items) items.push_back(reply_json(item));
  return items;
}

}  // namespace

std::string eval_report(const sim::Reply& reply, const std::vector<std::string>& keys,
                        const std::vector<TracedLine>& trace) {
  Json json{{"reply", reply_json(reply)}, {"keys", keys}};
  for (const auto& line : trace) {
    Json calls = Json::array();
    for (const auto& call : line.calls)
      calls.push_back({{"request", call.request}, {"reply", reply_json(*call.reply)}});
    json["trace"].push_back(
        {{"line", line.line}, {"text", line.text}, {"calls", calls}, {"changes", line.changes}});
  }
  return text_of(json);
}

std::string conform_report(const ConformSummary& summary) {
  Json json{{"outcome", summary.session.empty() ? "no-difference" : "differs"},
            {"seed", summary.seed},
            {"commands", summary.commands},
            {"sequences", summary.sequences},
            {"refused", summary.refused},
            {"unrepeated", summary.unrepeated},
            {"seconds", summary.seconds}};
  for (const auto& line : summary.session)
    json["session"].push_back({{"connection", line.connection}, {"request", line.request}});
  if (summary.redis) json["redis"] = reply_json(**summary.redis);
  if (summary.lockstep) json["lockstep"] = reply_json(**summary.lockstep);
  return text_of(json);
}

std::string reply_line(std::int64_t session, const sim::Reply& reply) {
  const Json json{{"session", session}, {"reply", reply_json(reply)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::cli
