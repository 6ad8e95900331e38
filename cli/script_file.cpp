// Files with scripts and commands; see the header.
#include "cli/script_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::cli {

namespace {

/// Redis's "...: user_script:3: what" as "FILE:3: what".
std::string placed(const std::string& file, const std::string& text) {
  static const std::string kPlace = "user_script:";
  const auto place = text.find(kPlace);
  return place == text.npos ? file + ": " + text : file + ":" + text.substr(place + kPlace.size());
}

}  // namespace

std::string whole_file(const std::string& path, std::istream& in) {
  if (path == "-") return {std::istreambuf_iterator<char>(in), {}};
  return sim::file_text(path);
}

sim::Request eval_request(const std::string& script, const std::vector<std::string>& words) {
  const auto comma = std::ranges::find(words, ",");
  sim::Request request{"EVAL", script, std::to_string(comma - words.begin())};
  std::ranges::copy_if(words, std::back_inserter(request),
                       [&](const std::string& word) { return &word != std::to_address(comma); });
  return request;
}

const sim::Reply& reply_to(const sim::Server& server, const std::vector<sim::Delivery>& deliveries,
                           sim::SessionId session) {
  if (server.busy()) throw sim::BadInput(server.busy()->why);
  const auto own = std::find_if(deliveries.rbegin(), deliveries.rend(),
                                [&](const auto& delivery) { return delivery.to == session; });
  if (own == deliveries.rend())
    throw sim::BadInput("the command waits for something that cannot come here");
  return *own->reply;
}

void expect_compiles(sim::Server& server, sim::SessionId session, const std::string& file,
                     const std::string& script) {
  try {
    const auto deliveries = server.submit(session, {"SCRIPT", "LOAD", script});
    const auto& reply = reply_to(server, deliveries, session);
    if (reply.is_error()) throw sim::BadInput(placed(file, reply.text));
  } catch (const sim::BadInput& refused) {
    const std::string text = refused.what();
    throw sim::BadInput(text.starts_with(file) ? text : file + ": " + text);
  }
}

void run_commands(sim::Server& server, sim::SessionId session, const std::string& file,
                  const std::string& text) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      if (line.starts_with('#')) continue;
      const auto request = sim::split_line(line);
      if (request.empty()) continue;
      const auto deliveries = server.submit(session, request);
      const auto& reply = reply_to(server, deliveries, session);
      if (reply.is_error()) throw sim::BadInput(reply.text);
    } catch (const sim::BadInput& bad) {
      throw sim::BadInput(fmt::format("{}:{}: {}", file, number, bad.what()));
    }
  }
}

}  // namespace lockstep::cli
