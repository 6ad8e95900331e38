// The gate's thread and its sockets; see the header.
#include "live/gate.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"

namespace lockstep::live {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// Small pieces must not wait for each other.
void send_at_once(const Descriptor& socket) {
  const int on = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Gate::Gate()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), bell_(eventfd(0, EFD_CLOEXEC)) {
  constexpr int kWaiting = 8;
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const int socket = listener_.number();
  if (::bind(socket, generic, size) != 0 || ::listen(socket, kWaiting) != 0 ||
      getsockname(socket, generic, &size) != 0)
    throw sim::BadInput("no free port for a gate on 127.0.0.1");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

Gate::~Gate() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  eventfd_write(bell_.number(), 1);
  thread_.join();
}

void Gate::lead_to(const Address& master) {
  const std::scoped_lock lock(mutex_);
  master_ = master;
}

void Gate::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

void Gate::open() {
  const std::scoped_lock lock(mutex_);
  closed_ = false;
  for (Link& link : links_) release(link, link.held.size());
}

void Gate::keep_master() {
  const std::scoped_lock lock(mutex_);
  keeps_master_ = true;
}

std::string Gate::held() const {
  const std::scoped_lock lock(mutex_);
  return links_.empty() ? "" : links_.back().held;
}

void Gate::let_pass(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (!links_.empty()) release(links_.back(), bytes);
}

void Gate::release(Link& link, std::size_t bytes) {
  if (!send_all(link.replica, std::string_view(link.held).substr(0, bytes))) link.over = true;
  link.held.erase(0, bytes);
}

void Gate::serve() {
  while (true) {
    std::vector<pollfd> waiting{{bell_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}};
    {
      const std::scoped_lock lock(mutex_);
      links_.remove_if([](const Link& link) { return link.over; });
      for (const Link& link : links_)
        for (const auto* end : {&link.replica, &link.master})
          waiting.push_back({end->number(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), -1);
    const std::scoped_lock lock(mutex_);
    if (ends_) return;
    auto ready = waiting.begin() + 2;  // only this thread adds links and removes them
    for (Link& link : links_) {
      if ((ready++)->revents != 0) forward(link, false);
      if ((ready++)->revents != 0 && !link.over) forward(link, true);
    }
    if (waiting[1].revents != 0) accept();
  }
}

void Gate::accept() {
  Link link;
  link.replica = Descriptor(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  link.master = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(master_.port);
  if (::connect(link.master.number(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0)
    return;  // the replica finds its connection closed
  send_at_once(link.replica);
  send_at_once(link.master);
  links_.push_back(std::move(link));
}

/// What has arrived at one end goes to the other.
void Gate::forward(Link& link, bool from_master) const {
  std::array<char, 65536> bytes{};
  const Descriptor& from = from_master ? link.master : link.replica;
  const auto read = ::recv(from.number(), bytes.data(), bytes.size(), 0);
  if (read <= 0) {
    if (!from_master && keeps_master_)
      link.replica = Descriptor();  // poll() passes over it
    else
      link.over = true;
    return;
  }
  if (link.replica.number() < 0) return;  // nobody is there to hear it
  const std::string_view arrived(bytes.data(), static_cast<std::size_t>(read));
  if (from_master && closed_)
    link.held += arrived;
  else if (!send_all(from_master ? link.replica : link.master, arrived))
    link.over = true;
}

}  // namespace lockstep::live
