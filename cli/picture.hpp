// A run as something to look at: lanes, rows, arrows and bars, taken from the data of a trace and
// never from its sentences. Who draws it decides where they go and what they look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/trace/trace.hpp"
#include "sim/model/model.hpp"

namespace lockstep::cli {

struct Picture {
  /// A client's task, a server, or the resource.
  struct Lane {
    enum class Kind : std::uint8_t { client, node, resource };
    Kind kind = Kind::client;
    std::uint8_t number = 0;  ///< of the process or of the server
    sim::TaskId task = 0;     ///< of a client
    std::string name, below;  ///< "A", "thread 1"; "redis-2", "replica of redis-1"
  };
  /// The row of a step, or so long before it in the time that it lets pass.
  struct Moment {
    std::size_t row = 0;
    std::int64_t before_ms = 0;
  };
  /// What lasts, on a lane.
  struct Bar {
    enum class Kind : std::uint8_t {
      section,  ///< a critical section, while its client has the lease
      bare,     ///< and while it has not
      lease,    ///< a lease key
      paused,
      dead,     ///< a client that has crashed, or a server that is down
      cut,      ///< nothing passes between the client and a server
      hindered  ///< a replica that lags, a clock that stands still, memory that is full
    };
    Kind kind = Kind::section;
    std::size_t lane = 0;
    Moment from;
    std::optional<Moment> to;           ///< nothing: it goes on where the run ends
    std::optional<std::uint8_t> owner;  ///< the process whose it is
    std::size_t slot = 0;               ///< lease: which of its server's lease keys
    bool timed_out = false;             ///< lease: it ended by time
    std::string text;
  };
  /// A request or a reply.
  struct Arrow {
    enum class End : std::uint8_t { arrives, lost, under_way };
    std::size_t from = 0, to = 0;  ///< lanes
    std::size_t sent = 0;          ///< row
    std::size_t seen = 0;          ///< row in which it arrives or is lost; under way: the last
    End end = End::arrives;
    bool reply = false;
    std::uint8_t process = 0;  ///< whose request it is
    std::string text;
  };
  /// What a client takes for true of its lock, and what is.
  struct Belief {
    enum class Life : std::uint8_t { up, paused, crashed };
    std::uint8_t process = 0;
    Life life = Life::up;
    std::int64_t since_ms = 0;  ///< paused, crashed
    bool inside = false;        ///< it believes that it holds a lock
    bool leased = false;        ///< enough servers have a lease key that is its own
    bool named = false;         ///< its name is on one
  };
  struct Change {
    std::uint8_t server = 0;
    std::string key;     ///< "lock = A.1", "lock is gone", "lock"
    std::string expiry;  ///< "expires in 10000 ms", if that is what is new, or new too
  };
  /// A step.
  struct Row {
    std::int64_t time_ms = 0;         ///< true time after it
    std::int64_t passed_ms = 0;       ///< that it has let pass
    std::optional<std::size_t> lane;  ///< of who acts; nothing: time
    std::string caption;              ///< "holds the lock"; may be empty
    bool fault = false, fatal = false;
    std::vector<Belief> beliefs;
    std::vector<Change> changes;
    std::string script;  ///< the text of the script that is executed, if one is
  };
  std::vector<Lane> lanes;
  std::vector<Row> rows;
  std::vector<Arrow> arrows;
  std::vector<Bar> bars;

  std::optional<std::size_t> lane_of(std::uint8_t process, sim::TaskId task) const;
  /// Of a server, or of the resource (sim::kResource).
  std::optional<std::size_t> lane_of_node(std::uint8_t node) const;
};

Picture picture_of(const sim::Model& model, const checker::Trace& trace);

}  // namespace lockstep::cli
