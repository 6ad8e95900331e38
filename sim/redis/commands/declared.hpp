// What scripts and functions say of themselves, before they run.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::sim {

struct Call;

/// The flags (ScriptFlag) of the script that an EVAL, EVALSHA or one of their twins would run;
/// nothing if it has no shebang line, a bad one, or if there is no such script.
std::optional<std::uint8_t> declared_by_script(const Call& call);

/// The flags of the function that FCALL or FCALL_RO would run, if there is one.
std::optional<std::uint8_t> declared_by_function(Call& call);

}  // namespace lockstep::sim
