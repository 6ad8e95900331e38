// Snapshots: a process at a boundary as canonical bytes, and back. Equal states give equal bytes:
// keys are sorted, shared objects and instants are numbered in order of appearance. Numbers are
// decimal and strings end in a zero byte, so that a token in the bytes is whole and can be renamed.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/check.hpp"
#include "sim/program_run.hpp"
#include "sim/program_values.hpp"

namespace lockstep::sim::program {
namespace {

constexpr int kDeepest = 100;  ///< nesting of tables and functions
constexpr int kDead = -1;      ///< a task that is no more

enum class Tag : char {
  nil = 'n',
  yes = 't',
  no = 'f',
  whole = 'i',
  broken = 'd',
  text = 's',
  constant = 'K',
  seen = 'R',
  instant = 'I',
  mutex = 'M',
  handle = 'H',
  table = 'T',
  error = 'E',
  end = '.',
  closure = 'F',
  module_cell = 'm',
  seen_cell = 'r',
  new_cell = 'c'
};

class Writer {
 public:
  void tag(Tag tag) { bytes_ += static_cast<char>(tag); }
  void number(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    bytes_.append(digits, static_cast<std::size_t>(end.ptr - digits));
    bytes_ += ';';
  }
  void text(std::string_view text) {
    for (const char c : text) {
      if (c == '\0' || c == '\1') {
        bytes_ += '\1';
        bytes_ += c == '\0' ? '0' : '1';
      } else {
        bytes_ += c;
      }
    }
    bytes_ += '\0';
  }
  void block(std::string_view block) {
    number(static_cast<std::int64_t>(block.size()));
    bytes_ += block;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  Tag tag() {
    LOCKSTEP_CHECK(!rest_.empty());
    const char tag = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<Tag>(tag);
  }
  std::int64_t number() {
    std::int64_t number = 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    LOCKSTEP_CHECK(end.ec == std::errc() && end.ptr != rest_.data() + rest_.size() &&
                   *end.ptr == ';');
    rest_.remove_prefix(static_cast<std::size_t>(end.ptr - rest_.data()) + 1);
    return number;
  }
  template <typename Enum>
  Enum as() {
    return static_cast<Enum>(number());
  }
  std::string text() {
    const std::size_t end = rest_.find('\0');
    LOCKSTEP_CHECK(end != std::string_view::npos);
    std::string text;
    for (std::size_t at = 0; at < end; ++at)
      text += rest_[at] != '\1' ? rest_[at] : rest_[++at] == '0' ? '\0' : '\1';
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view block() {
    const auto size = static_cast<std::size_t>(number());
    LOCKSTEP_CHECK(size <= rest_.size());
    const std::string_view block = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return block;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

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

  std::string encode() {
    instants_.clear();
    writer_.number(static_cast<std::int64_t>(run_.tasks.size()));
    for (const auto& task : run_.tasks) encode_task(*task);
    for (const Anchor object : run_.objects) number_node(object);
    number_node(run_.process_table);
    for (const auto& task : run_.tasks) encode_task_values(*task);
    for (std::size_t lock = 0; lock < run_.objects.size(); ++lock) encode_object(lock);
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
      writer_.number(holding.lost);
      writer_.text(holding.fencing);
    }
  }

  /// What a parked task will do when it goes on, and its task-local table.
  void encode_task_values(const Task& task) {
    const bool parked = !task.main || task.work.phase == Work::Phase::operation;
    if (parked) {
      writer_.number(static_cast<int>(task.body));
      writer_.number(task.pause_ms);
      where_ = "the function of a task";
      anchored(task.function);
      writer_.number(static_cast<std::int64_t>(task.main ? 0 : task.arguments.size()));
      where_ = "an argument of a task";
      if (!task.main) {
        for (const Anchor argument : task.arguments) anchored(argument);
      }
    }
    where_ = "task_local()";
    anchored(task.locals);
  }

  void encode_object(std::size_t lock) {
    where_ = "self";
    run_.push(lua_, run_.objects[lock]);
    check_fixed("key", [&] { push_string(lua_, run_.setup().lock_keys[lock]); });
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
      vm_.complain_at(0, fmt::format("changes self.{}, which is fixed", field));
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
        return writer_.tag(Tag::nil);
      case LUA_TBOOLEAN:
        return writer_.tag(lua_toboolean(lua_, -1) != 0 ? Tag::yes : Tag::no);
      case LUA_TNUMBER:
        return number();
      case LUA_TSTRING:
        writer_.tag(Tag::text);
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
      writer_.tag(Tag::whole);
      return writer_.number(lua_tointeger(lua_, -1));
    }
    writer_.tag(Tag::broken);
    writer_.number(std::bit_cast<std::int64_t>(lua_tonumber(lua_, -1)));
  }

  void object() {
    if (const int constant = module_.constant(lua_, -1)) {
      writer_.tag(Tag::constant);
      return writer_.number(constant);
    }
    if (const InstantValue* read = value_at<InstantValue>(lua_, -1)) return instant(*read);
    const auto [node, fresh] =
        nodes_.emplace(lua_topointer(lua_, -1), static_cast<int>(nodes_.size()));
    if (!fresh) {
      writer_.tag(Tag::seen);
      return writer_.number(node->second);
    }
    if (const MutexValue* value = value_at<MutexValue>(lua_, -1))
      return mutex(run_.mutex(value->index));
    if (const HandleValue* value = value_at<HandleValue>(lua_, -1)) {
      writer_.tag(Tag::handle);
      return writer_.number(live_id(value->serial));
    }
    if (++depth_ > kDeepest)
      return vm_.complain_at(0, fmt::format("{} nests more than {} deep", where_, kDeepest));
    lua_checkstack(lua_, 10);
    if (lua_istable(lua_, -1)) {
      writer_.tag(is_error_object(lua_, -1) ? Tag::error : Tag::table);
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
    vm_.complain_at(line_, fmt::format("{} holds {}, which is not plain data", where_, kind));
  }

  void instant(const InstantValue& read) {
    auto place = std::find(instants_.begin(), instants_.end(), read.id);
    if (place == instants_.end()) place = instants_.insert(place, read.id);
    writer_.tag(Tag::instant);
    writer_.number(place - instants_.begin());
    writer_.number(read.wall);
    writer_.number(read.offset_ms);
  }

  std::int64_t live_id(int serial) const {
    const Task* task = run_.task_of(serial);
    return task == nullptr ? kDead : task->id;
  }

  void mutex(const Mutex& mutex) {
    writer_.tag(Tag::mutex);
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
      vm_.complain_at(line_,
                      fmt::format("{} has keys that are neither numbers nor strings", where_));
    writer_.tag(Tag::end);
  }

  void closure() {
    std::string code;
    const auto append = [](lua_State*, const void* bytes, std::size_t size, void* to) {
      static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
      return 0;
    };
    lua_dump(lua_, append, &code, 0);
    writer_.tag(Tag::closure);
    writer_.block(code);
    lua_Debug about;
    lua_pushvalue(lua_, -1);
    lua_getinfo(lua_, ">S", &about);
    const int line_before = std::exchange(line_, about.linedefined);
    const std::string before = where_;
    for (int index = 1; const char* name = lua_getupvalue(lua_, -1, index); ++index) {
      where_ = fmt::format("upvalue `{}` of the function defined here", name);
      cell(lua_upvalueid(lua_, -2, index));
      lua_pop(lua_, 1);
    }
    writer_.tag(Tag::end);
    line_ = line_before;
    where_ = before;
  }

  /// The variable `id`, whose value is on top of the stack.
  void cell(const void* id) {
    int number = 0;
    if (module_.cell(id, &number) != nullptr) {
      writer_.tag(Tag::module_cell);
      return writer_.number(number);
    }
    const auto [known, fresh] = cells_.emplace(id, static_cast<int>(cells_.size()));
    if (!fresh) {
      writer_.tag(Tag::seen_cell);
      return writer_.number(known->second);
    }
    writer_.tag(Tag::new_cell);
    value();
  }

  Vm& vm_;
  lua_State* lua_;
  const Module& module_;
  Run& run_;
  std::vector<std::uint16_t>& instants_;
  Writer writer_;
  std::unordered_map<const void*, int> nodes_, cells_;  ///< never iterated
  std::string where_;                                   ///< for complaints
  int line_ = 0;                                        ///< of the function that is being written
  int depth_ = 0;
};

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
      holding.lost = reader_.number() != 0;
      holding.fencing = reader_.text();
      work.held.push_back(std::move(holding));
    }
  }

  void decode_task_values(Task& task) {
    if (!task.main || task.work.phase == Work::Phase::operation) {
      task.body = reader_.as<Task::Body>();
      task.pause_ms = reader_.number();
      task.function = value_anchor();
      const auto arguments = reader_.as<std::size_t>();
      for (std::size_t at = 0; at < arguments; ++at) task.arguments.push_back(value_anchor());
    }
    value();
    if (!lua_isnil(lua_, -1)) task.locals = run_.keep(lua_, -1);
    lua_pop(lua_, 1);
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

  void value_of(Tag tag) {
    switch (tag) {
      case Tag::nil:
        return lua_pushnil(lua_);
      case Tag::yes:
      case Tag::no:
        return lua_pushboolean(lua_, tag == Tag::yes);
      case Tag::whole:
        return lua_pushinteger(lua_, reader_.number());
      case Tag::broken:
        return lua_pushnumber(lua_, std::bit_cast<double>(reader_.number()));
      case Tag::text:
        return push_string(lua_, reader_.text());
      case Tag::constant:
        return module_.push_constant(reader_.as<int>());
      case Tag::seen:
        return run_.push(lua_, nodes_[reader_.as<std::size_t>()]);
      case Tag::instant:
        return instant();
      case Tag::mutex:
        return mutex();
      case Tag::handle:
        push_value(lua_, HandleValue{serial(reader_.number())});
        return add_node();
      case Tag::table:
      case Tag::error:
        lua_newtable(lua_);
        add_node();
        if (tag == Tag::error) luaL_setmetatable(lua_, kErrorName);
        return fields(reader_.tag());
      case Tag::closure:
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
    return kDead;
  }

  void mutex() {
    Mutex mutex;
    mutex.depth = reader_.as<int>();
    if (mutex.depth > 0) {
      const std::int64_t owner = reader_.number();
      mutex.owner = owner == kDead ? kDead : serial(owner) + 1;
    }
    push_value(lua_, MutexValue{run_.add_mutex(std::move(mutex))});
    add_node();
  }

  /// Fills the table on top of the stack; `tag` is the first key's.
  void fields(Tag tag) {
    for (; tag != Tag::end; tag = reader_.tag()) {
      value_of(tag);
      value();
      lua_rawset(lua_, -3);
    }
  }

  void closure() {
    const std::string_view code = reader_.block();
    LOCKSTEP_CHECK(luaL_loadbufferx(lua_, code.data(), code.size(), kChunk, "b") == LUA_OK);
    add_node();
    int index = 0;
    for (Tag tag = reader_.tag(); tag != Tag::end; tag = reader_.tag()) cell(tag, ++index);
  }

  /// Upvalue `index` of the function on top of the stack.
  void cell(Tag tag, int index) {
    if (tag == Tag::new_cell) {
      cells_.push_back({run_.keep(lua_, -1), index});
      value();
      lua_setupvalue(lua_, -2, index);
      return;
    }
    const auto number = reader_.as<int>();
    Cell shared;
    if (tag == Tag::module_cell) {
      shared = module_.cell(number);
      module_.push_constant(shared.function);
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
  Reader reader_;
  std::vector<Anchor> nodes_;
  std::vector<Cell> cells_;  ///< `function` is an anchor here
};

}  // namespace

std::string encode_snapshot(Vm& vm, const Module& module, Run& run,
                            std::vector<std::uint16_t>* instants) {
  return Encoder(vm, module, run, instants).encode();
}

void decode_snapshot(Vm& vm, const Module& module, Run& run, std::string_view bytes) {
  Decoder(vm, module, run, bytes).decode();
}

}  // namespace lockstep::sim::program
