"""A bad input: what is run, what lies around it, and what has to come of it."""
import dataclasses

REFUSED = frozenset({3})
ANY = frozenset({0, 1, 2, 3})  # what is changed may be valid after all

# So that what is valid after all ends soon.
SHORT = ["--max-states", "200", "--max-seconds", "1"]


@dataclasses.dataclass
class Case:
    """`place`: what the one line on stderr has to contain, all of it. `files`: by their path in
    the folder in which it runs; None: a folder. `broken`: `test` goes on to the other scenarios,
    and says it on stdout."""
    words: list
    place: tuple = ()
    files: dict = dataclasses.field(default_factory=dict)
    codes: frozenset = REFUSED
    stdin: bytes = b""
    broken: bool = False

    def identity(self):
        return repr((self.words, sorted(self.files.items()), self.stdin))


def mistyped(word, random):
    """One letter left out, doubled or exchanged with the next; never the first ones."""
    at = random.randrange(3, len(word) - 1)
    exchanged = word[:at] + word[at + 1] + word[at] + word[at + 2:]
    others = [word[:at] + word[at + 1:], word[:at] + word[at] + word[at:]]
    return random.choice(others + [exchanged] * (exchanged != word))
