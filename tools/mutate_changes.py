"""What tools/mutate may change in a C source, and how a source holds many changes, of which a variable chooses one."""
import re

KINDS = ("comparison", "arithmetic", "logic", "constant", "condition", "statement", "return")
SWAPS = {"comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
         "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
                        "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="},
         "logic": {"&&": "||", "||": "&&"}}
TOKEN = re.compile(r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\s+)
    |(?P<number>(?:0[xX][0-9a-fA-F.]+(?:[pP][-+]?\d+)?|\d[\d.]*(?:[eE][-+]?\d+)?)[uUlLfF]*)|(?P<word>[A-Za-z_]\w*)
    |(?P<sign>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)""", re.S | re.M | re.X)
NO_STATEMENT = {"if", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto", "else", "static",
                "const", "struct", "enum", "union", "sizeof", "LAVA_LOG", "free", "assert"}
NO_REGION = NO_STATEMENT - {"return", "const", "struct", "enum", "free", "sizeof"}
CONDITIONED = ("if", "while", "for", "switch")  # with parentheses before the statement
TYPES = {"void", "bool", "char", "short", "int", "unsigned", "long", "float", "double", "size_t"}
NO_CALL = re.compile(r"lava_log|lava_trace|_free$|_destroy$|_finish$|^Destroy|^Free|va_end|fclose|close$|munmap")
# A source with guarded changes begins and ends so. LAVABLAS_MUTANT is the number of the change that counts, 0: none. Each number
# that is reached gets a 1 in the file LAVABLAS_REACHED, if there is one.
REACHED_SIZE = 65536
GUARD_BEGIN = "static int lava_mutant_is(int number);\n#line 1\n"
GUARD_END = f"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
int lava_mutant_close(int) __asm__("close"); /* a source may have a function of its own that unistd.h declares */
static int lava_mutant;
static volatile unsigned char *lava_reached;
__attribute__((constructor(101))) static void lava_mutant_read(void)
{{
    const char *text = getenv("LAVABLAS_MUTANT"), *reached = getenv("LAVABLAS_REACHED");
    lava_mutant = text ? atoi(text) : 0;
    int file = reached ? open(reached, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *map = mmap(NULL, {REACHED_SIZE}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    lava_reached = map == MAP_FAILED ? NULL : map;
    lava_mutant_close(file);
}}
static int lava_mutant_is(int number)
{{
    if (lava_reached)
        lava_reached[number] = 1;
    return lava_mutant == number;
}}
"""


class Change:
    def __init__(self, kind, begin, end, text):
        self.kind, self.begin, self.end, self.text = kind, begin, end, text


class Token:
    def __init__(self, found):
        self.kind, self.text, self.begin, self.end = found.lastgroup, found.group(), found.start(), found.end()


def tokens_of(source):
    """Returns the tokens, without comments, strings, directives and white space."""
    return [Token(found) for found in TOKEN.finditer(source) if found.lastgroup != "skip"]


def bodies_of(tokens):
    """Yields the tokens of each function's body, braces included."""
    depth, begin = 0, None
    for i, token in enumerate(tokens):
        if token.text == "{":
            if depth == 0:
                begin = i if i and tokens[i - 1].text == ")" else None
            depth += 1
        elif token.text == "}":
            depth -= 1
            if depth == 0 and begin is not None:
                yield tokens[begin:i + 1]


def end_of_group(tokens, i):
    """Returns the place of the parenthesis that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in "([{") - (tokens[j].text in ")]}")
        if depth == 0:
            return j
    return len(tokens) - 1


def statement_change(source, tokens, i, end):
    """Returns the change of the statement from i to the semicolon at end, or None."""
    words = [token.text for token in tokens[i:end]]
    if not words:
        return None
    if words[0] == "return" and len(words) > 1:
        value = " ".join(words[1:])
        other = {"true": "false", "false": "true", "status": "0"}.get(value, "0" if value.startswith("LAVA_ERROR") else None)
        return other and Change("return", tokens[i].begin, tokens[end].begin, "return " + other)
    if tokens[i].kind != "word" or words[0] in NO_STATEMENT or len(words) < 2 or NO_CALL.search(words[0]):
        return None
    is_declaration = tokens[i + 1].kind == "word" or (words[1] == "*" and len(words) > 2 and source[tokens[i + 1].end] != " ")
    is_call = words[1] == "(" and end_of_group(tokens, i + 1) == end - 1
    is_method = any(NO_CALL.search(word) for word in words)
    is_assignment = any(word in ("=", "+=", "-=", "|=", "&=", "*=", "++", "--") for word in words)
    if is_declaration or is_method or not (is_call or is_assignment or words[1] == "->"):
        return None
    return Change("statement", tokens[i].begin, tokens[end].begin, "")


def changes_of(source):
    """Returns all changes of a file's functions."""
    changes = []
    for body in bodies_of(tokens_of(source)):
        depth, starts, closing, static_until = 0, True, set(), -1
        for i, token in enumerate(body):
            word = token.text
            depth += (word in "([") - (word in ")]")
            if starts and word == "static":
                static_until = next(j for j in range(i, len(body)) if body[j].text == ";")
            if starts and i > static_until and word not in "{}":
                end = next((j for j in range(i, len(body)) if body[j].text in ";{}"), None)
                found = end and body[end].text == ";" and statement_change(source, body, i, end)
                if found:
                    changes.append(found)
            if word in CONDITIONED and body[i + 1].text == "(":
                close = end_of_group(body, i + 1)
                closing.add(close)
                inside = source[body[i + 1].end:body[close].begin]
                if word in ("if", "while"):
                    changes.append(Change("condition", body[i + 1].end, body[close].begin, f"!({inside})"))
            starts = depth == 0 and (word in ("{", "}", ";", "else", "do") or i in closing)
            if i <= static_until:
                continue
            is_binary = token.kind == "sign" and source[token.begin - 1] == " " and source[token.end] in " \n"
            for kind, swaps in SWAPS.items():
                if is_binary and word in swaps:
                    changes.append(Change(kind, token.begin, token.end, swaps[word]))
            if token.kind == "number" and re.fullmatch(r"\d+[uUlL]*", word):
                digits = re.match(r"\d+", word).group()
                for step in (1, -1) if int(digits) else (1,):
                    changes.append(Change("constant", token.begin, token.end, str(int(digits) + step) + word[len(digits):]))
    return changes


def line_of(source, change):
    return source.count("\n", 0, change.begin) + 1


def told(source, change):
    """Returns the change in one line of text."""
    before = " ".join(source[change.begin:change.end].split())
    line = source.split("\n")[line_of(source, change) - 1].strip()
    return f"{change.kind}: {before[:60]}  ->  {change.text[:60] or '(nothing)'}    in: {line[:90]}"


class Region:
    """A part of a source that can stand beside changed copies of itself: a statement, or a value."""

    def __init__(self, form, begin, end):
        self.form, self.begin, self.end = form, begin, end

    def has(self, change):
        return self.begin <= change.begin and change.end <= self.end


def end_of_statement(tokens, i):
    """Returns the place of the semicolon that ends the statement at i, or None."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in "([{") - (tokens[j].text in ")]}")
        if depth < 0:
            return None
        if depth == 0 and tokens[j].text == ";":
            return j
    return None


def initializers(tokens, i, end):
    """Yields a declaration's values, without lists in braces."""
    depth, begin = 0, None
    for j in range(i, end + 1):
        word = tokens[j].text
        if depth == 0 and word in (",", ";") and begin is not None:
            if tokens[begin].text != "{":
                yield Region("value", tokens[begin].begin, tokens[j - 1].end)
            begin = None
        if depth == 0 and word == "=" and begin is None:
            begin = j + 1
        depth += (word in "([{") - (word in ")]}")


def regions_of_statement(source, tokens, i):
    """Yields the regions of the statement that begins at i."""
    end, first = end_of_statement(tokens, i), tokens[i].text
    if end is None or first in NO_REGION or (tokens[i].kind != "word" and first not in ("*", "(", "++", "--")):
        return
    following = tokens[i + 1]
    if following.text == "(" and first in TYPES:  # a pointer to a function is declared
        return
    is_pointer = following.text == "*" and source[following.end] != " "
    if first == "return" or tokens[i].kind != "word" or not (following.kind == "word" or is_pointer):
        yield Region("statement", tokens[i].begin, tokens[end].end)
    else:
        yield from initializers(tokens, i, end)


def regions_of_condition(tokens, i):
    """Yields the regions in the parentheses that follow `if`, `while` or `for` at i."""
    close = end_of_group(tokens, i + 1)
    if tokens[i].text != "for":
        yield Region("value", tokens[i + 1].end, tokens[close].begin)
        return
    first = end_of_statement(tokens, i + 2)
    second = first and end_of_statement(tokens, first + 1)
    if second:
        yield from initializers(tokens, i + 2, first)
        if second > first + 1:
            yield Region("value", tokens[first].end, tokens[second].begin)
        if close > second + 1:
            yield Region("value", tokens[second].end, tokens[close].begin)


def regions_of(source):
    for body in bodies_of(tokens_of(source)):
        depth, starts, closing = 0, True, set()
        for i, token in enumerate(body):
            word = token.text
            if starts and word not in "{}":
                yield from regions_of_statement(source, body, i)
            if word in CONDITIONED and body[i + 1].text == "(":
                closing.add(end_of_group(body, i + 1))
                if word != "switch":
                    yield from regions_of_condition(body, i)
            depth += (word in "([") - (word in ")]")
            starts = depth == 0 and (word in ("{", "}", ";", "else", "do") or i in closing)


def region_of(source, change, regions):
    """Returns the smallest region that has all of the change, or None."""
    return min((region for region in regions if region.has(change)), key=lambda region: region.end - region.begin, default=None)


def guard(source, numbered):
    """Returns the source with all these changes, (number, change, region) each."""
    by_region = {}
    for number, change, region in numbered:
        text = source[region.begin:change.begin] + change.text + source[change.end:region.end]
        by_region.setdefault((region.begin, region.end, region.form), []).append((number, text))
    for (begin, end, form), others in sorted(by_region.items(), reverse=True):
        text = source[begin:end]
        for number, other in others:
            text = (f"(lava_mutant_is({number}) ? ({other}) : ({text}))" if form == "value" else
                    f"{{ if (lava_mutant_is({number})) {{ {other} }} else {{ {text} }} }}")
        source = source[:begin] + text + source[end:]
    return GUARD_BEGIN + source + GUARD_END
