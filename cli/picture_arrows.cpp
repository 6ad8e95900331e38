// The requests and replies of a picture. A trace names a connection, not a message: which message
// it is follows from the order on that connection. Where it cannot be told, nothing is drawn.
#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/picture_parts.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::cli {

namespace {

using checker::StepData;
using sim::Action;
using sim::Effect;
using Arrow = Picture::Arrow;

/// A request from its sending to where its reply is heard.
struct Flight {
  enum class State : std::uint8_t { waiting, reached, answered, lost };
  std::uint8_t process = 0;
  sim::TaskId task = 0;
  std::uint8_t node = 0;    ///< that it was sent for
  std::uint8_t server = 0;  ///< that it goes to
  bool listens = false;
  int closed = 0;  ///< by which of the closings its connection has been abandoned; 0: by none
  State state = State::waiting;
  std::size_t sent = 0, answered = 0;  ///< rows
  std::string text, reply;
  sim::Request request;
};

class Flights {
 public:
  Flights(Picture& picture, const sim::Model& model)
      : picture_(picture), model_(model), shared_(model.program->shared_connection()) {}

  void step(std::size_t row, const StepData& data) {
    switch (sim::step_of(data.action)) {
      case Action::Kind::execute:
        execute(row, data);
        break;
      case Action::Kind::deliver:
        deliver(row, data);
        break;
      case Action::Kind::lose:
        lose(row, data);
        break;
      case Action::Kind::lose_late:
        stray(data);
        break;
      case Action::Kind::crash:
      case Action::Kind::crash_begin:
        close_all(data.action.process);
        break;
      case Action::Kind::node_crash:
        lose_at(row, data.action.node);
        break;
      case Action::Kind::notice:
      case Action::Kind::notice_late:
      case Action::Kind::evict:
        published_[data.action.node] = row;
        break;
      default:
        break;
    }
    follow(row, data);
    if (data.action.kind == Action::Kind::crash_within) close_all(data.action.process);
  }

  /// What is still on its way when the run ends.
  void end() {
    const std::size_t last = picture_.rows.size() - 1;
    for (const Flight& flight : flights_) {
      if (flight.state == Flight::State::waiting)
        add(flight, false, flight.sent, last, Arrow::End::under_way);
      if (flight.state == Flight::State::answered && flight.closed == 0)
        add(flight, true, flight.answered, last, Arrow::End::under_way);
    }
  }

 private:
  using Place = std::deque<Flight>::iterator;

  bool is_on(const Flight& flight, const StepData& data) const {
    const auto& name = data.connection;
    return flight.process == data.action.process && flight.node == name.node &&
           flight.listens == name.listens && (shared_ || flight.task == name.task) &&
           (flight.closed == 0) == name.open;
  }

  /// The first on the step's connection for which `fits`; of abandoned ones that of its place.
  template <class Fits>
  Place first(const StepData& data, const Fits& fits) {
    int closing = 0, place = -1;
    for (auto flight = flights_.begin(); flight != flights_.end(); ++flight) {
      if (!is_on(*flight, data)) continue;
      if (flight->closed != closing || place < 0) ++place;
      closing = flight->closed;
      if (place >= data.connection.place && fits(*flight)) return flight;
    }
    return flights_.end();
  }

  void add(const Flight& flight, bool reply, std::size_t sent, std::size_t seen, Arrow::End end) {
    auto from = picture_.lane_of(flight.process, flight.task);
    auto to = picture_.lane_of_node(flight.server);
    if (!from || !to) return;
    if (reply) std::swap(from, to);
    picture_.arrows.push_back(
        {*from, *to, sent, seen, end, reply, flight.process, reply ? flight.reply : flight.text});
  }

  /// Of a request that the client's library has sent on by itself no sending is told.
  Place unknown(std::size_t row, const StepData& data) {
    Flight flight;
    flight.process = data.action.process;
    flight.task = data.connection.task;
    flight.node = data.connection.node;
    flight.listens = data.connection.listens;
    flight.sent = row == 0 ? 0 : row - 1;
    flights_.push_back(flight);
    return std::prev(flights_.end());
  }

  void execute(std::size_t row, const StepData& data) {
    auto flight = first(data, [](const Flight& each) {
      return each.state == Flight::State::waiting || each.state == Flight::State::reached;
    });
    if (flight == flights_.end()) flight = unknown(row, data);
    const auto& words = data.requests.front().words;
    flight->server = data.requests.front().node;
    flight->text = sim::printed(words);
    picture_.rows[row].script = script_of(*flight, words);
    if (flight->state == Flight::State::waiting)
      add(*flight, false, flight->sent, row, Arrow::End::arrives);
    flight->state = Flight::State::reached;
    if (data.tells) published_[flight->server] = row;
    if (data.reply) {
      flight->state = Flight::State::answered;
      flight->answered = row;
      flight->reply = sim::worded(**data.reply);
    }
    const bool unheard = data.closes || (data.reply && !data.connection.open);
    if (unheard) flights_.erase(flight);
  }

  void deliver(std::size_t row, const StepData& data) {
    const auto flight = first(data, [](const Flight&) { return true; });
    if (flight == flights_.end()) return deliver_message(row, data);
    if (flight->state == Flight::State::answered)
      add(*flight, true, flight->answered, row, Arrow::End::arrives);
    if (flight->state == Flight::State::waiting)  // it hears an error instead
      add(*flight, false, flight->sent, row, Arrow::End::lost);
    flights_.erase(flight);
  }

  /// What a listener hears comes from what its node has published last (or, in a cluster, another).
  void deliver_message(std::size_t row, const StepData& data) {
    if (!data.connection.listens || published_.empty()) return;
    auto from = published_.find(data.connection.node);
    if (from == published_.end())
      from = std::ranges::max_element(
          published_, {}, [](const auto& server_and_row) { return server_and_row.second; });
    Flight message;
    message.process = data.action.process;
    message.task = data.connection.task;
    message.server = from->first;
    message.reply = "message";
    add(message, true, from->second, row, Arrow::End::arrives);
  }

  void lose_one(std::size_t row, Flight& flight) {
    if (flight.state == Flight::State::waiting)
      add(flight, false, flight.sent, row, Arrow::End::lost);
    if (flight.state == Flight::State::answered)
      add(flight, true, flight.answered, row, Arrow::End::lost);
    flight.state = Flight::State::lost;
  }

  void lose(std::size_t row, const StepData& data) {
    for (Flight& flight : flights_)
      if (is_on(flight, data)) lose_one(row, flight);
  }

  /// The client hears an error; the request goes on alone.
  void stray(const StepData& data) {
    const auto flight =
        first(data, [](const Flight& each) { return each.state == Flight::State::waiting; });
    if (flight == flights_.end()) return;
    Flight copy = *flight;
    copy.closed = ++closings_;
    flight->state = Flight::State::lost;
    flights_.push_back(std::move(copy));
  }

  void lose_at(std::size_t row, std::uint8_t server) {
    for (Flight& flight : flights_)
      if (flight.server == server && flight.node != sim::kResource &&
          flight.state == Flight::State::waiting)
        lose_one(row, flight);
  }

  void close_all(std::uint8_t process) {
    ++closings_;
    for (Flight& flight : flights_)
      if (flight.process == process && flight.closed == 0) flight.closed = closings_;
    forget();
  }

  /// Replies that nobody will hear.
  void forget() {
    std::erase_if(flights_, [](const Flight& flight) {
      return flight.closed != 0 &&
             (flight.state == Flight::State::answered || flight.state == Flight::State::lost);
    });
  }

  /// What the client's program has sent, and given up.
  void follow(std::size_t row, const StepData& data) {
    std::size_t departed = 0, request = 0;
    for (const Effect& effect : data.effects) {
      if (effect.kind == Effect::Kind::gave_up) give_up(data.action.process, effect.task);
      if (effect.kind != Effect::Kind::send) continue;
      Flight flight;
      flight.process = data.action.process;
      flight.task = effect.task;
      flight.node = flight.server = effect.node;
      flight.listens = effect.subscribes;
      flight.sent = row;
      flight.request = effect.request;
      flight.text = sim::printed(data.requests[request++].words);
      if (effect.node != sim::kResource && departed < data.departures.size())
        flight.server = data.departures[departed++].server;
      flights_.push_back(std::move(flight));
    }
  }

  void give_up(std::uint8_t process, sim::TaskId task) {
    ++closings_;
    for (Flight& flight : flights_)
      if (flight.process == process && flight.task == task && flight.closed == 0 && !shared_)
        flight.closed = closings_;
    forget();
  }

  /// The text of the script that a request runs; "" if it runs none.
  std::string script_of(const Flight& flight, const std::vector<sim::ArgumentText>& words) const {
    if (words.size() < 2) return "";
    const std::string& command = words[0].plain;
    const bool by_name = sim::is_name(command, "evalsha") || sim::is_name(command, "evalsha_ro");
    const bool whole = sim::is_name(command, "eval") || sim::is_name(command, "eval_ro");
    if (whole && flight.request.size() > 1) return flight.request[1];
    if (!whole && !by_name) return "";
    const auto file = model_.program->folder() / words[1].plain;
    const auto body = sim::is_file(file) ? sim::file_text(file) : "";
    return model_.program->script_name(body) == words[1].plain ? body : "";
  }

  Picture& picture_;
  const sim::Model& model_;
  bool shared_;
  int closings_ = 0;
  std::deque<Flight> flights_;                     ///< in the order in which they were sent
  std::map<std::uint8_t, std::size_t> published_;  ///< by server: the row of what it told last
};

}  // namespace

void draw_arrows(Picture& picture, const sim::Model& model, const checker::Trace& trace) {
  Flights flights(picture, model);
  for (std::size_t row = 0; row < trace.steps.size(); ++row)
    flights.step(row, trace.steps[row].data);
  if (!picture.rows.empty()) flights.end();
}

}  // namespace lockstep::cli
