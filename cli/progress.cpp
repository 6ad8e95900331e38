// Progress and Ctrl-C; see the header.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>

#include "cli/words.hpp"

namespace lockstep::cli {

namespace {

/// Set by the signal handler, read by every thread that searches.
std::atomic<bool> noticed = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait");

/// Ctrl-C; what a CI sends a job that takes too long; a terminal that is gone.
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

constexpr double kShownEverySeconds = 0.1;

struct MemoryUse {
  std::uint64_t resident = 0;  ///< in memory, in bytes
  std::uint64_t data = 0;      ///< writable, and the process's own: what RLIMIT_DATA bounds
};

/// Linux: proc(5), statm. Nothing where that cannot be known.
MemoryUse memory_use() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, libraries = 0, data = 0;
  if (!(statm >> size >> resident >> shared >> text >> libraries >> data)) return {};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {resident * page, data * page};
}

#ifdef LOCKSTEP_SANITIZED  // a sanitizer's shadow is as large as the address space
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

/// What may be had beyond the bound before the search has been asked the next time, and after it.
constexpr std::uint64_t kBeyondBytes = 24 << 20;

void limit_data(std::uint64_t bytes) {
  rlimit limit{};
  if (!kMemoryIsOurs || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// A single allocation may want more than all that is left of the bound.
void leave(std::uint64_t bytes, const MemoryUse& use) {
  const std::uint64_t left = bytes > use.resident ? bytes - use.resident : 0;
  if (use.data > 0) limit_data(use.data + left + kBeyondBytes);
}

void on_interrupt(int signal) {
  noticed = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruptible::Interruptible() {
  noticed = false;
  for (const int signal : kSignals)
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
}

Interruptible::~Interruptible() {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool interrupted() { return noticed; }

checker::Progress until_interrupted(const checker::Bounds& bounds) {
  return checker::within(bounds.max_seconds, [](const checker::Statistics&) -> std::string {
    return noticed ? "interrupted" : "";
  });
}

void count_progress(const Io& io, std::size_t done, std::size_t all) {
  if (io.progress) io.err << fmt::format("\r\033[K{} of {}", done, all) << std::flush;
}

std::string progress_line(const checker::Statistics& figures, const checker::Bounds& bounds,
                          double seconds) {
  const auto rate =
      figures.seconds > 0 ? static_cast<double>(figures.states) / figures.seconds : 0.0;
  auto line = fmt::format("{}, {} a second, depth {}, {} MB", plural(figures.states, "state"),
                          grouped(static_cast<std::uint64_t>(rate)), figures.depth,
                          figures.visited_bytes >> 20);
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0.0; };
  const std::pair<double, const char*> shares[] = {
      {share(static_cast<double>(figures.states), static_cast<double>(bounds.max_states)),
       "max-states"},
      {share(seconds, bounds.max_seconds), "max-seconds"},
      {share(static_cast<double>(figures.visited_bytes), static_cast<double>(bounds.max_bytes)),
       "max-memory"}};
  const auto nearest = *std::max_element(std::begin(shares), std::end(shares));
  if (nearest.first > 0.01)
    line += fmt::format("; {:.0f} % of {}", 100 * nearest.first, nearest.second);
  return line;
}

BoundedMemory::BoundedMemory(std::uint64_t bytes) {
  if (bytes > 0) leave(bytes, memory_use());
}

BoundedMemory::~BoundedMemory() { limit_data(RLIM_INFINITY); }

checker::Progress within_memory(std::uint64_t bytes, checker::Progress progress) {
  if (bytes == 0) return progress;
  return [=](const checker::Statistics& figures) -> std::string {
    const MemoryUse use = memory_use();
    leave(bytes, use);
    if (use.resident >= bytes) return checker::memory_is_full(bytes);
    return progress(figures);
  };
}

checker::Progress progress(const Io& io, const checker::Bounds& bounds) {
  auto until = within_memory(bounds.max_bytes, until_interrupted(bounds));
  if (!io.progress) return until;
  using Clock = std::chrono::steady_clock;
  return [&io, bounds, until, begun = Clock::now(),
          shown_at = 0.0](const checker::Statistics& figures) mutable {
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    if (seconds >= shown_at + kShownEverySeconds) {
      io.err << "\r\033[K" << progress_line(figures, bounds, seconds) << std::flush;
      shown_at = seconds;
    }
    return until(figures);
  };
}

void end_progress(const Io& io) {
  if (io.progress) io.err << "\r\033[K" << std::flush;
}

}  // namespace lockstep::cli
