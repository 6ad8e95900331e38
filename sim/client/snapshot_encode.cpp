// Snapshots: a process at a boundary as canonical bytes. Equal states give equal bytes: keys are
// sorted, shared objects and instants are numbered in order of appearance. And what there is of one
// that is in the midst of something, to see whether it has changed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/client/run.hpp"
#include "sim/client/snapshot.hpp"
#include "sim/client/values.hpp"

namespace lockstep::sim::program {
namespace {

/// Fields of every protocol object, which the protocol may not change.
constexpr std::string_view kFixed[] = {"key", "process", "ttl_ms"};
bool is_fixed(const Key& key) {
  return key.kind == Key::Kind::text &&
         std::find(std::begin(kFixed), std::end(kFixed), key.text) != std::end(kFixed);
}

class Encoder {
 public:
  Encoder(Vm& vm, const Module& module, Run& run, std::vector<std::uint16_t>* instants)
      : vm_(vm), lua_(vm.state()), module_(module), run_(run), instants_(*instants) {}

  std::optional<std::string> encode_in_midst() {
    in_midst_ = true;
    std::string bytes = encode();
    if (!plain_) return std::nullopt;
    return bytes;
  }

  std::string encode() {
    instants_.clear();
    writer_.number(static_cast<std::int64_t>(run_.tasks.size()));
    for (const auto& task : run_.tasks) encode_task(*task);
    for (const Anchor object : run_.objects) number_node(object);
    number_node(run_.process_table);
    for (const auto& task : run_.tasks) encode_task_values(*task);
    for (std::size_t at = 0; at < run_.objects.size(); ++at) encode_object(at);
    where_ = "self.process";
    run_.push(lua_, run_.process_table);
    fields(false);
    lua_pop(lua_, 1);
    return writer_.take();
  }

 private:
  void encode_task(const Task& task) {
    writer_.number(task.id);
    writer_.number(task.main);
    writer_.number(static_cast<int>(task.wait));
    writer_.number(task.wait_ms);
    if (task.main) encode_work(task.work);
  }

  void encode_work(const Work& work) {
    writer_.number(static_cast<int>(work.phase));
    writer_.number(static_cast<int>(work.mode));
    writer_.number(work.mode == Work::Mode::lost ? work.lost_lock : 0);
    writer_.number(work.rounds_done);
    writer_.number(static_cast<std::int64_t>(work.position));
    const bool operation = work.phase == Work::Phase::operation;
    writer_.number(operation && work.releasing);
    writer_.number(operation ? work.lock : 0);
    writer_.number(static_cast<std::int64_t>(work.held.size()));
    for (const Holding& holding : work.held) {
      writer_.number(holding.lock);
      writer_.number(holding.depth);
      writer_.number(static_cast<int>(holding.lost));
      writer_.text(holding.fencing);
    }
  }

  /// What a parked task will do when it goes on, and its task-local table.
  void encode_task_values(const Task& task) {
    const bool parked = !task.main || in_protocol(task.work);
    if (parked) {
      writer_.number(static_cast<int>(task.body));
      writer_.number(task.pause_ms);
      where_ = "the function of a task";
      anchored(task.function);
      where_ = "the pause of retry()";
      anchored(task.latch);
      writer_.number(static_cast<std::int64_t>(task.main ? 0 : task.arguments.size()));
      where_ = "an argument of a task";
      if (!task.main) {
        for (const Anchor argument : task.arguments) anchored(argument);
      }
    }
    where_ = "task_local()";
    anchored(task.locals);
    if (task.thread != nullptr) frames(task.thread);
  }

  /// All that the functions under way have: their variables, and what lies between those.
  void frames(lua_State* thread) {
    lua_checkstack(thread, 2);
    const auto taken_over = [&] {
      lua_xmove(thread, lua_, 1);
      value();
      lua_pop(lua_, 1);
    };
    lua_Debug frame;
    for (int level = 0; lua_getstack(thread, level, &frame) != 0; ++level) {
      writer_.tag(SnapshotTag::frame);
      lua_getinfo(thread, "f", &frame);
      taken_over();
      for (int slot = 1; lua_getlocal(thread, &frame, slot) != nullptr; ++slot) taken_over();
      for (int extra = -1; lua_getlocal(thread, &frame, extra) != nullptr; --extra) taken_over();
      writer_.tag(SnapshotTag::end);
    }
  }

  void encode_object(std::size_t at) {
    where_ = "self";
    run_.push(lua_, run_.objects[at]);
    check_fixed("key", [&] { push_string(lua_, run_.object_keys[at]); });
    check_fixed("ttl_ms", [&] { lua_pushinteger(lua_, run_.setup().lease_ms); });
    check_fixed("process", [&] { run_.push(lua_, run_.process_table); });
    fields(true);
    lua_pop(lua_, 1);
  }

  template <typename PushExpected>
  void check_fixed(const char* field, const PushExpected& push_expected) {
    lua_pushstring(lua_, field);
    lua_rawget(lua_, -2);
    push_expected();
    if (lua_rawequal(lua_, -1, -2) == 0)
      complain(0, fmt::format("changes self.{}, which is fixed", field));
    lua_pop(lua_, 2);
  }

  void anchored(Anchor anchor) {
    run_.push(lua_, anchor);
    value();
    lua_pop(lua_, 1);
  }

  void number_node(Anchor anchor) {
    run_.push(lua_, anchor);
    nodes_.emplace(lua_topointer(lua_, -1), static_cast<int>(nodes_.size()));
    lua_pop(lua_, 1);
  }

  /// Writes the value on top of the stack.
  void value() {
    switch (lua_type(lua_, -1)) {
      case LUA_TNIL:
        return writer_.tag(SnapshotTag::nil);
      case LUA_TBOOLEAN:
        return writer_.tag(lua_toboolean(lua_, -1) != 0 ? SnapshotTag::yes : SnapshotTag::no);
      case LUA_TNUMBER:
        return number();
      case LUA_TSTRING:
        writer_.tag(SnapshotTag::text);
        return writer_.text(string_at(lua_, -1));
      case LUA_TTABLE:
      case LUA_TFUNCTION:
      case LUA_TUSERDATA:
        return object();
      default:
        return not_plain();
    }
  }

  void number() {
    if (lua_isinteger(lua_, -1) != 0) {
      writer_.tag(SnapshotTag::whole);
      return writer_.number(lua_tointeger(lua_, -1));
    }
    writer_.tag(SnapshotTag::broken);  // in digits, so that a time among them is found
    writer_.text(fmt::format("{}", lua_tonumber(lua_, -1)));
  }

  void object() {
    if (const int constant = module_.watched().constant(lua_, -1)) {
      writer_.tag(SnapshotTag::constant);
      return writer_.number(constant);
    }
    if (const InstantValue* read = value_at<InstantValue>(lua_, -1)) return instant(*read);
    if (in_midst_ && lua_iscfunction(lua_, -1) != 0) return native();
    const auto [node, fresh] =
        nodes_.emplace(lua_topointer(lua_, -1), static_cast<int>(nodes_.size()));
    if (!fresh) {
      writer_.tag(SnapshotTag::seen);
      return writer_.number(node->second);
    }
    if (const MutexValue* value = value_at<MutexValue>(lua_, -1))
      return mutex(run_.mutex(value->index));
    if (const auto* value = value_at<SemaphoreValue>(lua_, -1)) {
      const Semaphore& semaphore = run_.semaphore(value->index);
      writer_.tag(SnapshotTag::semaphore);
      writer_.number(semaphore.permits);
      writer_.number(static_cast<std::int64_t>(semaphore.waiters.size()));
      for (const int waiter : semaphore.waiters) writer_.number(live_id(waiter));
      return;
    }
    if (const HandleValue* value = value_at<HandleValue>(lua_, -1)) {
      writer_.tag(SnapshotTag::handle);
      return writer_.number(live_id(value->serial));
    }
    if (depth_ >= kDeepest)
      return complain(0, fmt::format("{} nests more than {} deep", where_, kDeepest));
    ++depth_;
    lua_checkstack(lua_, 10);
    if (lua_istable(lua_, -1)) {
      writer_.tag(is_error_object(lua_, -1) ? SnapshotTag::error : SnapshotTag::table);
      fields(false);
    } else if (lua_isfunction(lua_, -1) && lua_iscfunction(lua_, -1) == 0) {
      closure();
    } else {
      not_plain();
    }
    --depth_;
  }

  void not_plain() {
    const std::string kind = lua_isfunction(lua_, -1) ? "an iterator" : text_of(lua_, -1);
    complain(line_, fmt::format("{} holds {}, which is not plain data", where_, kind));
  }

  void complain(int line, const std::string& text) {
    plain_ = false;
    if (!in_midst_) vm_.complain_at(line, text);
  }

  /// A function of ours or of Lua's, and what it keeps.
  void native() {
    writer_.tag(SnapshotTag::native);
    writer_.number(reinterpret_cast<std::intptr_t>(lua_tocfunction(lua_, -1)));
    for (int index = 1; lua_getupvalue(lua_, -1, index) != nullptr; ++index) {
      value();
      lua_pop(lua_, 1);
    }
    writer_.tag(SnapshotTag::end);
  }

  void instant(const InstantValue& read) {
    auto place = std::find(instants_.begin(), instants_.end(), read.id);
    if (place == instants_.end()) place = instants_.insert(place, read.id);
    writer_.tag(SnapshotTag::instant);
    writer_.number(in_midst_ ? read.id : place - instants_.begin());
    writer_.number(read.wall);
    writer_.number(read.offset_ms);
  }

  std::int64_t live_id(int serial) const {
    const Task* task = run_.task_of(serial);
    return task == nullptr ? kDeadTask : task->id;
  }

  void mutex(const Mutex& mutex) {
    writer_.tag(SnapshotTag::mutex);
    writer_.number(mutex.depth);
    if (mutex.depth > 0) writer_.number(live_id(mutex.owner - 1));
  }

  /// The fields of the table on top of the stack; those of a protocol object without the fixed
  /// ones.
  void fields(bool object) {
    bool all = true;
    const int table = lua_gettop(lua_);
    const std::string before = where_;
    for (const Key& key : sorted_keys(lua_, table, &all)) {
      if (object && is_fixed(key)) continue;
      push_key(lua_, key);
      where_ =
          key.kind == Key::Kind::text ? fmt::format("{}.{}", before, key.text) : before + "[...]";
      value();
      lua_rawget(lua_, table);
      value();
      lua_pop(lua_, 1);
    }
    where_ = before;
    if (!all)
      complain(line_, fmt::format("{} has keys that are neither numbers nor strings", where_));
    writer_.tag(SnapshotTag::end);
  }

  void closure() {
    std::string code;
    const auto append = [](lua_State*, const void* bytes, std::size_t size, void* to) {
      static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
      return 0;
    };
    lua_dump(lua_, append, &code, 0);
    writer_.tag(SnapshotTag::closure);
    writer_.block(code);
    lua_Debug about;
    lua_pushvalue(lua_, -1);
    lua_getinfo(lua_, ">S", &about);
    const int line_before = std::exchange(line_, about.linedefined);
    const std::string before = where_;
    for (int index = 1; const char* name = lua_getupvalue(lua_, -1, index); ++index) {
      where_ = fmt::format("upvalue `{}` of the function defined here", name);
      cell(lua_upvalueid(lua_, -2, index), index);
      lua_pop(lua_, 1);
    }
    writer_.tag(SnapshotTag::end);
    line_ = line_before;
    where_ = before;
  }

  /// The variable `id`, whose value is on top of the stack, above the function of which it is the
  /// upvalue `index`.
  void cell(const void* id, int index) {
    int number = 0;
    if (module_.watched().cell(id, &number) != nullptr) {
      writer_.tag(SnapshotTag::module_cell);
      return writer_.number(number);
    }
    const auto [known, fresh] = cells_.emplace(id, static_cast<int>(cells_.size()));
    if (!fresh) {
      writer_.tag(SnapshotTag::seen_cell);
      return writer_.number(known->second);
    }
    if (in_midst_ && of_frame(index)) return;
    writer_.tag(SnapshotTag::new_cell);
    value();
  }

  /// Whether that variable is one of a function under way, which has its value: then which one it
  /// is, is written. Lua does not say; so a value is put into it that nothing else has.
  bool of_frame(int index) {
    static const char kMark = 0;
    lua_pushlightuserdata(lua_, const_cast<char*>(&kMark));
    lua_setupvalue(lua_, -3, index);
    bool found = false;
    for (const auto& task : run_.tasks)
      if (task->thread != nullptr && !found) found = write_marked_slot(*task, &kMark);
    lua_pushvalue(lua_, -1);
    lua_setupvalue(lua_, -3, index);
    return found;
  }

  bool write_marked_slot(const Task& task, const void* mark) {
    lua_Debug frame;
    for (int level = 0; lua_getstack(task.thread, level, &frame) != 0; ++level) {
      for (int slot = 1; lua_getlocal(task.thread, &frame, slot) != nullptr; ++slot) {
        const bool marked = lua_touserdata(task.thread, -1) == mark;
        lua_pop(task.thread, 1);
        if (!marked) continue;
        writer_.tag(SnapshotTag::frame_cell);
        for (const int part : {int{task.id}, level, slot}) writer_.number(part);
        return true;
      }
    }
    return false;
  }

  Vm& vm_;
  lua_State* lua_;
  const Module& module_;
  Run& run_;
  std::vector<std::uint16_t>& instants_;
  SnapshotWriter writer_;
  std::unordered_map<const void*, int> nodes_, cells_;  ///< never iterated
  std::string where_;                                   ///< for complaints
  int line_ = 0;                                        ///< of the function that is being written
  int depth_ = 0;
  bool in_midst_ = false, plain_ = true;
};

}  // namespace

std::string encode_snapshot(Vm& vm, const Module& module, Run& run,
                            std::vector<std::uint16_t>* instants) {
  return Encoder(vm, module, run, instants).encode();
}

std::optional<std::string> encode_in_midst(Vm& vm, const Module& module, Run& run) {
  std::vector<std::uint16_t> instants;
  return Encoder(vm, module, run, &instants).encode_in_midst();
}

}  // namespace lockstep::sim::program
