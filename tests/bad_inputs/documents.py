"""Ways to make a JSON document a wrong one; what is done to scenarios, traces and verdicts."""
import copy
import json

WRONG_VALUES = [
    None, True, -1, 0, 1.5, -1e300, 2**31, 2**63, 2**64, "", "x", " ", "\0", "\x1b[2J", "ä" * 50,
    "A" * 100000, [], {}, [[]], [None], ["x"], [-1], [0] * 1000, {"x": 1}, {"": {}}]
# What no JSON has, put behind a colon.
NO_VALUES = ["NaN", "Infinity", "'x'", "1,", "01", "+1", "0x10", "1e999", "\"\x01\"", "tru", "",
             "\"\\u12\"", "\"\\ud800\"", "\"\\x41\"", "// 1\n 1", "[1", "{\"a\" 1}", "\x00",
             "{1: 2}"]


def places(value, path=()):
    yield path
    if isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def put(document, path, value):
    if not path:
        return value
    document = copy.deepcopy(document)
    at(document, path[:-1])[path[-1]] = value
    return document


def without(document, path):
    document = copy.deepcopy(document)
    del at(document, path[:-1])[path[-1]]
    return document


def same_type(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool)
    return isinstance(a, type(b))


def text_of(document):
    return json.dumps(document, indent=1).encode(errors="replace")


def broken_texts(document, random, truncations):
    """The document as a text that is no JSON, none of it."""
    text = text_of(document)
    for _ in range(truncations):
        yield text[:random.randrange(len(text) - 1)]
    lines = [at for at, byte in enumerate(text) if text[at:at + 2] == b": "]
    for wrong in NO_VALUES:
        colon = random.choice(lines) + 2
        end = text.index(b"\n", colon)
        yield text[:colon] + wrong.encode() + b"," * text[:end].endswith(b",") + text[end:]
    inside = text.index(b': "', random.randrange(len(text) // 3)) + 3
    yield from (text[:inside] + wrong + text[inside:]
                for wrong in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\0", b"\n", b"\x1f"))
    yield from (text.decode().encode("utf-16"), text + b"{}", text + b"\0", b"\0" + text,
                b"[" * 50 + text, text[1:], b"", b" ", b"{", b"null", b"[]", b"\"x\"", b"7",
                b"\xef\xbb\xbf", b"[" * 100000, b"{\"a\":" * 100000, b"[" * 3000 + b"]" * 3000)
