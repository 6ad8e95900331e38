// The order in which scripts visit the keys of a table.
#pragma once

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

/// Whether a comes before b.
bool before(const OrderedKey& a, const OrderedKey& b);

/// Reads the key at `index`; false for one that has no order (a table, a function).
bool read_key(lua_State* L, int index, OrderedKey& key);
void push_key(lua_State* L, const OrderedKey& key);

/// Puts the keys of the table at `index` into runtime().keys, in order; notes in runtime() whether
/// Redis may have another one. `gone`: a key that has been removed since it was visited, and counts
/// as if it were still there. Refuses keys that have no order.
void collect_keys(lua_State* L, int index, const OrderedKey* gone = nullptr);

/// Refuses the table at `table` if it has a key that is not in the array at `keys`: it came to be
/// while the others were visited, and in 5.1 it may be visited or not, or mix up their order.
void refuse_new_keys(lua_State* L, int table, int keys);

/// Pushes an array of the keys of the table at `index`, in order. Returns how many they are.
int push_ordered_keys(lua_State* L, int index);

}  // namespace lockstep::sim::dialect
