// What a page looks like, and how one walks through it.
#pragma once

namespace lockstep::cli {

extern const char* const kPageStyle;   ///< CSS
extern const char* const kPageScript;  ///< JavaScript; the page says everything without it

}  // namespace lockstep::cli
