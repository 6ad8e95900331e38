// Lua source of random calls of the libraries of scripts.
#include "conform/library_calls.hpp"

namespace lockstep::conform {

const char* const kShowValues =
    "local function s(v, d) local t = type(v) "
    "if t == 'number' then return string.format('%.17g', v) "
    "elseif t == 'string' then return '\"' .. v .. '\"' "
    "elseif t ~= 'table' then return tostring(v) elseif d > 30 then return '...' end "
    "local r = {} for k, x in pairs(v) do r[#r + 1] = s(k, d + 1) .. '=' .. s(x, d + 1) end "
    "table.sort(r) return '{' .. table.concat(r, ',') .. '}' end "
    "local function c(...) local r = {} for i = 1, select('#', ...) do r[i] = s((select(i, ...)), "
    "0) end return table.concat(r, ' ') end ";

std::string lua_literal(const std::string& bytes) {
  std::string text = "'";
  for (const char c : bytes) {
    const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    const std::string code = std::to_string(static_cast<unsigned char>(c));
    text += plain ? std::string(1, c) : "\\" + std::string(3 - code.size(), '0') + code;
  }
  return text + "'";
}

namespace {

std::string number(Dice& dice) {
  switch (dice.below(5)) {
    case 0:
      return std::to_string(dice.below(300));
    case 1:
      return "-" + std::to_string(1 + dice.below(70000));
    case 2:
      return "2^" + std::to_string(dice.below(70)) + dice.of({"", "-1", "+1", "+0.5"});
    case 3:
      return "-2^" + std::to_string(dice.below(70)) + dice.of({"", "-1", "+1", "+0.5"});
    default:
      return dice.of({"0.1", "0.5", "-1.5", "1e15", "1e300", "-1e-300", "0/0", "-(0/0)",
                      "math.huge", "-math.huge", "3.14159265358979", "123456789012345", "'12'",
                      "'0x1f'", "tonumber('-0')"});
  }
}

std::string random_bytes(Dice& dice, std::size_t most) {
  std::string bytes(dice.below(most + 1), '\0');
  for (char& c : bytes)
    c = static_cast<char>(dice.below(4) == 0 ? dice.below(256) : 'a' + dice.below(26));
  return bytes;
}

std::string text(Dice& dice) {
  if (dice.below(6) == 0) return "('x'):rep(" + std::to_string(dice.below(300)) + ")";
  return lua_literal(random_bytes(dice, 12));
}

/// `holes`: sequences may have nils in them.
std::string value(Dice& dice, int depth, bool holes);

/// A table whose order of keys Redis has too: a sequence, or one key, or a sequence and one key.
std::string table(Dice& dice, int depth, bool holes) {
  std::string key = dice.below(2) == 0 ? number(dice) : text(dice);
  const bool no_key = key.find("0/0") != key.npos || key.find("-0'") != key.npos;
  const bool keyed = !no_key && dice.below(3) == 0;
  std::string items;
  if (!keyed || dice.below(2) == 0) {
    for (std::size_t n = dice.below(dice.below(8) == 0 ? 40 : 5); n > 0; --n) {
      const bool hole = holes && !keyed && dice.below(12) == 0;
      items += (hole ? "nil" : value(dice, depth - 1, holes)) + ",";
    }
  }
  if (keyed) items += "[" + key + "]=" + value(dice, depth - 1, holes);
  return "{" + items + "}";
}

std::string value(Dice& dice, int depth, bool holes) {
  const std::size_t kind = dice.below(depth > 0 ? 8 : 5);
  if (kind < 2) return number(dice);
  if (kind == 2) return text(dice);
  if (kind > 4) return table(dice, depth, holes);
  return dice.of({"true", "false", "cjson.null", "type", "true", "0", "''"});
}

std::string values(Dice& dice, std::size_t most) {
  std::string list;
  for (std::size_t n = dice.below(most + 1); n > 0; --n)
    list += ", " + (dice.below(9) == 0 ? "nil" : value(dice, 2, false));
  return list;
}

/// Now and then in a function, so that errors have a place.
std::string call(Dice& dice, const std::string& function, const std::string& arguments) {
  if (dice.below(8) > 0)
    return "pcall(" + function + (arguments.empty() ? "" : ", ") + arguments + ")";
  return "pcall(function() return " + function + "(" + arguments + ") end)";
}

std::string format(Dice& dice) {
  std::string text = "'";
  for (std::size_t n = dice.below(8); n > 0; --n) {
    text += dice.of({"b",  "B",  "h",   "H",   "l",  "L",   "T",  "i",  "I",   "f",
                     "d",  "x",  "s",   "c",   "c0", "<",   ">",  "!",  " ",   "i3",
                     "I9", "i8", "i12", "I16", "!4", "!16", "c3", "i2", "Bc0", "s",
                     "!2", "i1", "i10", "!32", "d",  "i33", "z",  "!3", "c12"});
  }
  return text + "'";
}

void add_message(Dice& dice, std::string& bytes, int depth) {
  const auto add = [&](unsigned byte) { bytes.push_back(static_cast<char>(byte)); };
  const auto random = [&](std::size_t n) {
    for (; n > 0; --n) add(static_cast<unsigned>(dice.below(256)));
  };
  const std::size_t count = dice.below(4);
  switch (dice.below(depth > 0 ? 9 : 6)) {
    case 0:
      return add(static_cast<unsigned>(dice.below(128)));
    case 1:
      return add(static_cast<unsigned>(0xE0 + dice.below(32)));
    case 2: {
      const std::size_t size = dice.below(4);
      add(static_cast<unsigned>((dice.below(2) == 0 ? 0xCC : 0xD0) + size));
      return random(std::size_t{1} << size);
    }
    case 3: {
      const std::size_t size = dice.below(2);
      add(static_cast<unsigned>(0xCA + size));
      return random(std::size_t{4} << size);
    }
    case 4:
      add(static_cast<unsigned>(0xA0 + count));
      return random(count);
    case 5:
      return add(static_cast<unsigned>(0xC0 + dice.below(64)));
    case 6:
      add(static_cast<unsigned>(0x80 + count));
      for (std::size_t i = 0; i < count; ++i) {
        add_message(dice, bytes, 0);  // keys that are tables have no order
        add_message(dice, bytes, depth - 1);
      }
      return;
    default:
      add(static_cast<unsigned>(0x90 + count));
      for (std::size_t i = 0; i < count; ++i) add_message(dice, bytes, depth - 1);
  }
}

void add_json(Dice& dice, std::string& text, int depth) {
  const std::size_t count = dice.below(4);
  switch (dice.below(depth > 0 ? 6 : 3)) {
    case 0:
      text += dice.of({"0", "-1", "1.5", "1e5", "1E-3", "-0", "007", "0x1F", "nan", "-inf", "1e999",
                       "+1", ".5", "5.", "-", "1e", "Infinity", "12345678901234567890"});
      return;
    case 1:
      text += dice.of({"true", "false", "null", "tru", "nulll", "True", " null ", "\t1\n"});
      return;
    case 2:
      text += '"';
      for (std::size_t n = dice.below(5); n > 0; --n) {
        text += dice.of({"a", "\\n", "\\u0041", "\\u00e9", "\\u20AC", "\\ud83d\\ude00", "\\ud83d",
                         "\\u12g4", "\\/", "\\x", "\xC3\xA9", "\xFF", "\\\"", "\n",
                         "\\uD800\\u0041", "\\ude00", "\\u0000", "\\b\\f\\r\\t\\\\"});
      }
      text += '"';
      return;
    case 3:
      text += '{';
      for (std::size_t i = 0; i < count; ++i) {
        text += std::string(i > 0 ? "," : "") +
                dice.of({"\"a\"", "\"b\" ", " \"a\"", "\"\"", "x"}) + ":";
        add_json(dice, text, depth - 1);
      }
      text += '}';
      return;
    default:
      text += '[';
      for (std::size_t i = 0; i < count; ++i) {
        text += i > 0 ? "," : "";
        add_json(dice, text, depth - 1);
      }
      text += ']';
  }
}

}  // namespace

std::string bit_call(Dice& dice) {
  const char* function = dice.of({"tobit", "tohex", "bnot", "band", "bor", "bxor", "lshift",
                                  "rshift", "arshift", "rol", "ror", "bswap"});
  std::string arguments = number(dice);
  for (std::size_t n = dice.below(4); n > 0; --n) {
    arguments += ", " + (dice.below(20) == 0 ? value(dice, 1, false) : number(dice));
  }
  return call(dice, std::string("bit.") + function, arguments);
}

std::string struct_call(Dice& dice) {
  switch (dice.below(5)) {
    case 0:
      return call(dice, "struct.size", format(dice));
    case 1:
    case 2:
      return call(dice, "struct.pack", format(dice) + values(dice, 7));
    default: {
      std::string data = lua_literal(random_bytes(dice, 40));
      if (dice.below(3) == 0) data = "('\\1\\255'):rep(30)";
      if (dice.below(3) == 0)
        data += dice.of({", 1", ", 2", ", 5", ", 0", ", -1", ", 2.5", ", 50"});
      return call(dice, "struct.unpack", format(dice) + ", " + data);
    }
  }
}

std::string cmsgpack_call(Dice& dice) {
  if (dice.below(2) == 0) {
    return call(dice, "cmsgpack.pack",
                dice.below(30) == 0 ? "" : value(dice, 4, false) + values(dice, 2));
  }
  std::string bytes;
  for (std::size_t n = dice.below(4); n > 0; --n) add_message(dice, bytes, 4);
  if (dice.below(5) == 0) bytes = bytes.substr(0, dice.below(bytes.size() + 1));
  const std::string data = lua_literal(bytes);
  const char* at = dice.of({"", ", 0", ", 1", ", 2", ", 5", ", -1", ", 1.9"});
  switch (dice.below(4)) {
    case 0:
      return call(dice, "cmsgpack.unpack_one", data + at);
    case 1:
      return call(dice, "cmsgpack.unpack_limit",
                  data + dice.of({", 0", ", 1", ", 2", ", 3", ", -1", ", '2'"}) + at);
    default:
      return call(dice, "cmsgpack.unpack", data);
  }
}

std::string cjson_call(Dice& dice) {
  if (dice.below(2) == 0) return call(dice, "cjson.encode", value(dice, 4, true));
  if (dice.below(10) == 0) {
    const char* setting = dice.of({"encode_sparse_array", "encode_max_depth", "decode_max_depth",
                                   "encode_number_precision", "encode_invalid_numbers",
                                   "decode_invalid_numbers", "encode_keep_buffer"});
    return call(dice, std::string("cjson.") + setting,
                dice.of({"true", "false", "3", "14", "nil", "'null'", "'on'", "'off'", "true, 1, 2",
                         "false, 2, 10", "1000", "-1", "{}", "1, 2", "2.7", "'5'"}));
  }
  std::string text;
  add_json(dice, text, 3);
  if (dice.below(4) == 0) text.erase(dice.below(text.size()), 1);
  if (dice.below(4) == 0) {
    text.insert(dice.below(text.size() + 1),
                dice.of({",", "]", "}", "\"", " ", ":", "\\", "1", "e"}));
  }
  if (dice.below(20) == 0) text.insert(dice.below(text.size() + 1), 1, '\0');
  return call(dice, "cjson.decode", lua_literal(text));
}

std::string showing(const std::vector<std::string>& calls) {
  std::string body = kShowValues;
  body += "return {";
  for (const std::string& one : calls) body += "c(" + one + "),";
  return body + "}";
}

}  // namespace lockstep::conform
