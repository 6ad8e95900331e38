// Independent pieces of work on several threads, whose results come out in order. Each piece has a
// model, program and world of its own; nothing is shared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "sim/base/error.hpp"

namespace lockstep::cli {

/// The number of threads that --jobs asks for; 0 stands for as many as the machine runs at once.
/// Throws BadInput for a negative number.
inline unsigned jobs_of(std::optional<int> asked) {
  if (asked && *asked < 1)
    throw sim::BadInput("--jobs: found " + std::to_string(*asked) + ", expected 1 or more");
  return asked ? static_cast<unsigned>(*asked) : std::max(1U, std::thread::hardware_concurrency());
}

/// Calls `make(i)` for i = 0 ... `count` - 1 on up to `jobs` threads, and `take(i, result)` on this
/// thread in the order of i, each as soon as it can be. An exception of `make` comes out here in
/// its turn; what has not begun by then is left undone.
template <class Make, class Take>
void in_order(std::size_t count, unsigned jobs, const Make& make, const Take& take) {
  using Result = std::invoke_result_t<Make, std::size_t>;
  std::vector<std::promise<Result>> made(count);
  std::vector<std::future<Result>> awaited;
  for (auto& promise : made) awaited.push_back(promise.get_future());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < count; i = next++) {
      try {
        made[i].set_value(make(i));
      } catch (...) {
        made[i].set_exception(std::current_exception());
      }
    }
  };
  std::vector<std::jthread> threads;  // joined before the promises go
  for (std::size_t i = 0; i < std::min<std::size_t>(jobs, count); ++i) threads.emplace_back(work);
  try {
    for (std::size_t i = 0; i < count; ++i) take(i, awaited[i].get());
  } catch (...) {
    next = count;
    throw;
  }
}

}  // namespace lockstep::cli
