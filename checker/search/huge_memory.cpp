// See the header.
#include "checker/search/huge_memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace lockstep::checker {

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

/// A range of addresses that nothing uses, beginning where a huge page can.
char* reserve(std::size_t bytes) {
  const std::size_t room = bytes + kHugePage;
  void* const range = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<char*>(range);
  const std::size_t before = kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage;
  munmap(begin, before);
  if (before < kHugePage) munmap(begin + before + bytes, kHugePage - before);
  return begin + before;
}

}  // namespace

HugeMemory::HugeMemory(HugeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HugeMemory::~HugeMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void HugeMemory::clear(std::size_t bytes) {
  if (bytes != 0) std::memset(data_, 0, bytes);
}

void HugeMemory::grow(std::size_t bytes) {
  if (bytes <= bytes_) return;
  const bool large = bytes > kHugePage;  // a small table shall not cost a whole huge page
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  char* const place = reserve(bytes);
  void* const moved = data_ == nullptr
                          ? mmap(place, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                          : mremap(data_, bytes_, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved == MAP_FAILED) throw std::bad_alloc();
  data_ = moved;
  bytes_ = bytes;
  if (large) madvise(data_, bytes_, MADV_HUGEPAGE);  // a wish: without huge pages it is only slower
}

}  // namespace lockstep::checker
