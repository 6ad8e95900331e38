// A gate between a master and its replica: what the master sends passes through it, and is held
// back when it is closed, at any byte. A thread with sockets on the loopback interface.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "live/address.hpp"

namespace lockstep::live {

/// A file descriptor that is closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int number() const { return number_; }

 private:
  int number_;
};

class Gate {
 public:
  /// Open, on a free port of 127.0.0.1. Throws BadInput if there is none.
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const { return port_; }
  /// Whoever connects from now on is led to `master`.
  void lead_to(const Address& master);
  /// What masters send stays in the gate. When either end closes, it is lost.
  void close();
  void open();
  /// From now on a replica that goes does so without a word: its master's end stays open.
  void keep_master();
  /// What stays in the gate, of the last who came.
  std::string held() const;
  /// Lets so many bytes of that pass; the gate stays closed.
  void let_pass(std::size_t bytes);

 private:
  struct Link {
    Descriptor replica, master;
    std::string held;
    bool over = false;
  };

  void serve();
  void accept();
  void forward(Link& link, bool from_master) const;
  static void release(Link& link, std::size_t bytes);

  Descriptor listener_, bell_;  ///< the bell ends the thread's poll()
  int port_ = 0;
  mutable std::mutex mutex_;  ///< of all below
  std::list<Link> links_;
  Address master_;
  bool closed_ = false;
  bool keeps_master_ = false;
  bool ends_ = false;
  std::thread thread_;  ///< last: it uses all others
};

}  // namespace lockstep::live
