// The thread sanitizer keeps a stack of calls of its own, which longjmp() has to cut. Debian's Lua
// is compiled with _FORTIFY_SOURCE, so that it throws its errors with glibc's __longjmp_chk(),
// which GCC 12's libtsan does not know: that stack grew with each error, by all memory in the end.
#include <csetjmp>

// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's name
extern "C" [[noreturn]] void __longjmp_chk(std::jmp_buf where, int value) {
  std::longjmp(where, value);
}
