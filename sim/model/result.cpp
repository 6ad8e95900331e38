// The names of verdicts, as they are printed.
#include "sim/model/result.hpp"

#include "sim/base/check.hpp"

namespace lockstep::checker {

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  sim::fail("a verdict", __FILE__, __LINE__);
}

Result out_of_memory(Watch& watch) {
  Result result;
  result.statistics = watch.out_of_memory();
  result.why_inconclusive = watch.why();
  return result;
}

}  // namespace lockstep::checker
