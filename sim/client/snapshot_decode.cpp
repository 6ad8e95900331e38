// Snapshots: a process at a boundary, brought back from its canonical bytes.
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/client/run.hpp"
#include "sim/client/snapshot.hpp"
#include "sim/client/values.hpp"

namespace lockstep::sim::program {
namespace {

class Decoder {
 public:
  Decoder(Vm& vm, const Module& module, Run& run, std::string_view bytes)
      : lua_(vm.state()), module_(module), run_(run), reader_(bytes) {}

  void decode() {
    const auto tasks = static_cast<std::size_t>(reader_.number());
    for (std::size_t at = 0; at < tasks; ++at) decode_task(at);
    nodes_ = run_.objects;
    nodes_.push_back(run_.process_table);
    for (const auto& task : run_.tasks) decode_task_values(*task);
    for (const Anchor object : run_.objects) decode_fields(object);
    decode_fields(run_.process_table);
    LOCKSTEP_CHECK(reader_.empty());
  }

 private:
  void decode_task(std::size_t at) {
    const auto id = static_cast<TaskId>(reader_.number());
    const bool main = reader_.number() != 0;
    if (!main) {
      auto task = std::make_unique<Task>();
      task->id = id;
      task->serial = run_.next_serial();
      run_.tasks.push_back(std::move(task));
    }
    LOCKSTEP_CHECK(at < run_.tasks.size() && run_.tasks[at]->main == main);
    Task& task = *run_.tasks[at];
    task.wait = reader_.as<Wait::Kind>();
    task.wait_ms = reader_.number();
    if (main) decode_work(task.work);
  }

  void decode_work(Work& work) {
    work.phase = reader_.as<Work::Phase>();
    work.mode = reader_.as<Work::Mode>();
    work.lost_lock = reader_.as<std::uint8_t>();
    work.rounds_done = reader_.as<int>();
    work.position = reader_.as<std::size_t>();
    work.releasing = reader_.number() != 0;
    work.lock = reader_.as<std::uint8_t>();
    const auto held = reader_.as<std::size_t>();
    for (std::size_t at = 0; at < held; ++at) {
      Holding holding;
      holding.lock = reader_.as<std::uint8_t>();
      holding.depth = reader_.as<int>();
      holding.lost = reader_.as<Holding::Lost>();
      holding.fencing = reader_.text();
      work.held.push_back(std::move(holding));
    }
  }

  void decode_task_values(Task& task) {
    if (!task.main || in_protocol(task.work)) {
      task.body = reader_.as<Task::Body>();
      task.pause_ms = reader_.number();
      task.function = value_anchor();
      task.latch = anchor_if_any();
      const auto arguments = reader_.as<std::size_t>();
      for (std::size_t at = 0; at < arguments; ++at) task.arguments.push_back(value_anchor());
    }
    task.locals = anchor_if_any();
  }

  /// 0 for nil.
  Anchor anchor_if_any() {
    value();
    const Anchor anchor = lua_isnil(lua_, -1) ? 0 : run_.keep(lua_, -1);
    lua_pop(lua_, 1);
    return anchor;
  }

  Anchor value_anchor() {
    value();
    const Anchor anchor = run_.keep(lua_, -1);
    lua_pop(lua_, 1);
    return anchor;
  }

  void decode_fields(Anchor table) {
    run_.push(lua_, table);
    fields(reader_.tag());
    lua_pop(lua_, 1);
  }

  /// Reads one value, which becomes the top of the stack.
  void value() {
    lua_checkstack(lua_, 10);
    value_of(reader_.tag());
  }

  void value_of(SnapshotTag tag) {
    switch (tag) {
      case SnapshotTag::nil:
        return lua_pushnil(lua_);
      case SnapshotTag::yes:
      case SnapshotTag::no:
        return lua_pushboolean(lua_, tag == SnapshotTag::yes);
      case SnapshotTag::whole:
        return lua_pushinteger(lua_, reader_.number());
      case SnapshotTag::broken:
        return lua_pushnumber(lua_, std::strtod(reader_.text().c_str(), nullptr));
      case SnapshotTag::text:
        return push_string(lua_, reader_.text());
      case SnapshotTag::constant:
        return module_.watched().push_constant(reader_.as<int>());
      case SnapshotTag::seen:
        return run_.push(lua_, nodes_[reader_.as<std::size_t>()]);
      case SnapshotTag::instant:
        return instant();
      case SnapshotTag::mutex:
        return mutex();
      case SnapshotTag::semaphore: {
        const int index = run_.add_semaphore(reader_.number());
        push_value(lua_, SemaphoreValue{index});
        const auto waiters = reader_.as<std::size_t>();
        for (std::size_t at = 0; at < waiters; ++at)
          run_.semaphore(index).waiters.push_back(serial(reader_.number()));
        return add_node();
      }
      case SnapshotTag::handle:
        push_value(lua_, HandleValue{serial(reader_.number())});
        return add_node();
      case SnapshotTag::table:
      case SnapshotTag::error:
        lua_newtable(lua_);
        add_node();
        if (tag == SnapshotTag::error) luaL_setmetatable(lua_, kErrorName);
        return fields(reader_.tag());
      case SnapshotTag::closure:
        return closure();
      default:
        fail("a value has a known tag", __FILE__, __LINE__);
    }
  }

  void add_node() { nodes_.push_back(run_.keep(lua_, -1)); }

  void instant() {
    InstantValue read;
    read.id = reader_.as<std::uint16_t>();
    read.wall = reader_.number() != 0;
    read.offset_ms = reader_.number();
    run_.instants = std::max(run_.instants, read.id + 1);
    push_value(lua_, read);
  }

  int serial(std::int64_t id) const {
    for (const auto& task : run_.tasks) {
      if (task->id == id) return task->serial;
    }
    return kDeadTask;
  }

  void mutex() {
    Mutex mutex;
    mutex.depth = reader_.as<int>();
    if (mutex.depth > 0) {
      const std::int64_t owner = reader_.number();
      mutex.owner = owner == kDeadTask ? kDeadTask : serial(owner) + 1;
    }
    push_value(lua_, MutexValue{run_.add_mutex(std::move(mutex))});
    add_node();
  }

  /// Fills the table on top of the stack; `tag` is the first key's.
  void fields(SnapshotTag tag) {
    for (; tag != SnapshotTag::end; tag = reader_.tag()) {
      value_of(tag);
      value();
      lua_rawset(lua_, -3);
    }
  }

  void closure() {
    const std::string_view code = reader_.block();
    LOCKSTEP_CHECK(luaL_loadbufferx(lua_, code.data(), code.size(), Vm::of(lua_).chunk(), "b") ==
                   LUA_OK);
    add_node();
    int index = 0;
    for (SnapshotTag tag = reader_.tag(); tag != SnapshotTag::end; tag = reader_.tag())
      cell(tag, ++index);
  }

  /// Upvalue `index` of the function on top of the stack.
  void cell(SnapshotTag tag, int index) {
    if (tag == SnapshotTag::new_cell) {
      cells_.push_back({run_.keep(lua_, -1), index});
      value();
      lua_setupvalue(lua_, -2, index);
      return;
    }
    const auto number = reader_.as<int>();
    Cell shared;
    if (tag == SnapshotTag::module_cell) {
      shared = module_.watched().cell(number);
      module_.watched().push_constant(shared.function);
    } else {
      shared = cells_[static_cast<std::size_t>(number)];
      run_.push(lua_, shared.function);
    }
    lua_upvaluejoin(lua_, -2, index, -1, shared.index);
    lua_pop(lua_, 1);
  }

  lua_State* lua_;
  const Module& module_;
  Run& run_;
  SnapshotReader reader_;
  std::vector<Anchor> nodes_;
  std::vector<Cell> cells_;  ///< `function` is an anchor here
};

}  // namespace

void decode_snapshot(Vm& vm, const Module& module, Run& run, std::string_view bytes) {
  Decoder(vm, module, run, bytes).decode();
}

}  // namespace lockstep::sim::program
