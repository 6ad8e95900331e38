// Any bytes as what a server answers, on a real connection: every reply is read and told, as part
// of an envelope and as what the keys hold, until the connection is given up in one line.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "live/connection.hpp"
#include "live/envelope.hpp"
#include "live/naming.hpp"
#include "live/observer.hpp"
#include "live/real_server.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace lockstep::fuzz {

namespace {

/// Listens on a socket in the file system. Whoever connects gets the same bytes, at once.
class HostileServer {
 public:
  HostileServer() : listener_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const auto path = (folder_.path() / "socket").string();
    LOCKSTEP_CHECK(path.size() < sizeof name.sun_path);
    std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
    const bool listens =
        bind(listener_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        listen(listener_, 1) == 0;
    LOCKSTEP_CHECK(listens);
    address_.socket = path;
  }

  const live::Address& address() const { return address_; }

  /// Answers a client that has connected already, and sends nothing more; what the client sends is
  /// not read. Returns the connection, which is to be closed when the client has had its say.
  int answer(const std::uint8_t* data, std::size_t size) const {
    const int peer = accept(listener_, nullptr, nullptr);
    LOCKSTEP_CHECK(peer >= 0 && send(peer, data, size, 0) == static_cast<ssize_t>(size));
    shutdown(peer, SHUT_WR);
    return peer;
  }

 private:
  sim::TemporaryFolder folder_;
  int listener_;
  live::Address address_;
};

/// What becomes of the bytes: `connected` made a connection, `use` hears the answers.
template <class Connected, class Use>
void hear(const std::uint8_t* data, std::size_t size, Connected connected, Use use) {
  static const HostileServer server;
  auto client = connected(server.address());
  const int peer = server.answer(data, size);
  try {
    use(client);
  } catch (const sim::BadInput& refusal) {
    expect_one_line(refusal);
  }
  close(peer);
}

void read_all(live::Connection& connection, const live::Address& address) {
  const live::Envelope envelope("order", {"lock", "lock:fence"});
  const live::Naming naming(1'700'000'000'000);
  std::vector<sim::SharedReply> replies;
  for (;;) {  // the connection ends
    const auto reply = connection.await();
    sim::worded(naming.named(reply));
    replies.emplace_back(reply);
    if (replies.size() == envelope.replies()) {
      envelope.open(replies);
      replies.clear();
    }
    expect_served(address, reply);
  }
}

}  // namespace

}  // namespace lockstep::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const auto connect = [](const live::Address& address) { return live::Connection(address); };
  fuzz::hear(data, size, connect,
             [](auto& connection) { fuzz::read_all(connection, live::Address{}); });
  fuzz::hear(data, size, connect, [](auto& connection) { live::real_server(connection); });
  const auto observe = [](const live::Address& address) {
    return live::Observer(address, std::nullopt);
  };
  fuzz::hear(data, size, observe, [](auto& observer) {
    for (const auto& [name, key] : observer.keys()) sim::worded_key(name, key);
  });
  return 0;
}
