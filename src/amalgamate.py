"""Writes the library as two files, FOLDER/motte.c and FOLDER/motte.h:

    python3 src/amalgamate.py FOLDER

or some of its source files as one, and for ninja what it is made of (the build option `united`):

    python3 src/amalgamate.py --unite OUTPUT.c DEPENDENCIES.d FILE...

The two files have the kernels of one instruction set, the best that the compiler's flags allow. Identifiers that
are local to a source file get the file's name as a suffix, because different files have local functions of equal
names; they are found by their declarations at file scope. Members of structs keep their names, and so do names that
macros paste together. Where that were wrong, motte.c would not compile. Headers that a source file configures by
macros, and those without a guard, are part of each file that includes them."""

import argparse
import pathlib
import re

TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<name>[A-Za-z_]\w*)|(?P<line>\\?\n)|(?P<space>[ \t]+)
  |(?P<mark>->|\.\.\.|\#\#|.)""", re.DOTALL | re.VERBOSE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"].*$')
CONDITION = re.compile(r"^\s*#\s*(if|endif)")
DEFINE = re.compile(r"^\s*#\s*(define|undef)\s+(\w+)", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]")
PASTED = re.compile(r"\b(\w+_)\s*##")
GUARD = re.compile(r"\A(?:/\*.*?\*/\s*)*#ifndef (\w+)\n#define \1\n", re.DOTALL)
KEYWORDS = set("""alignas _Alignas _Alignof alignof auto bool break case char const continue default do double else
enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch
typedef union unsigned void volatile while _Bool _Noreturn _Static_assert _Thread_local __attribute__""".split())
QUALIFIERS = {"const", "volatile", "restrict", "__restrict"}
BRACKETS = {"(": ")", "[": "]", "{": "}"}

HEAD = """/* Motte {version} in two files, written by src/amalgamate.py. Compile motte.c with the kernels that you
 * want: -march=x86-64-v4 takes those of AVX-512, -march=x86-64-v3 AVX2, -msse4.2 SSE4; without such flags those of
 * SSE2, or of NEON on AArch64. The headers of cglm have to be there, and the program is linked with -lm -lpthread.
 * Answers are those of the library that Meson builds, to the bit: no multiply and add are fused. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "Motte needs floats that are computed as floats: -msse2 -mfpmath=sse"
#endif
#if defined(__FAST_MATH__)
#error "Motte is exact, and cannot be compiled with -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
/* GCC 12's straight-line vectorizer drops the rounding of (double)(float)x where it pairs two of them. */
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#if defined(__aarch64__) && __GNUC__ < 13
#pragma GCC optimize("no-tree-loop-vectorize")
#endif
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef MO_ASSERTIONS
#define MO_ASSERTIONS 0
#endif
#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI__) && defined(__BMI2__) && defined(__LZCNT__)
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define MO_BUILD_AVX512 1
#define MO_ISA_AVX512_LANES 1
#define MO_ISA_NAME avx512
#define MO_ISA_FALLBACK MO_ISA_AVX512
#else
#define MO_BUILD_AVX2 1
#define MO_ISA_AVX2_LANES 1
#define MO_ISA_NAME avx2
#define MO_ISA_FALLBACK MO_ISA_AVX2
#endif
#elif defined(__SSE4_2__) && defined(__x86_64__)
#define MO_BUILD_SSE4 1
#define MO_ISA_SSE4_LANES 1
#define MO_ISA_NAME sse4
#define MO_ISA_FALLBACK MO_ISA_SSE4
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define MO_BUILD_NEON 1
#define MO_ISA_NEON_LANES 1
#define MO_ISA_NAME neon
#define MO_ISA_FALLBACK MO_ISA_NEON
#else
#define MO_ISA_NAME scalar
#define MO_COMPILER_INLINES
#endif
"""


class Includes:
    """What includes leave behind: headers of the library that were written, and headers of the system."""

    def __init__(self, root, templates):
        self.root = root
        self.templates = templates
        self.written = set()
        self.system = set()

    def expand(self, path, outermost=True, always=True):
        """The text of a file with the library's headers in the place of includes, in pieces: (is local to a source
        file, text). Not `always`: it lies in one branch of a condition."""
        text = path.read_text()
        depth = (-1 if GUARD.match(text) else 0) + (not always)
        pieces, local = [], []

        def flush():
            if local:
                pieces.append((outermost, "\n".join(local) + "\n"))
                local.clear()
        for line in text.splitlines():
            include, condition = INCLUDE.match(line), CONDITION.match(line)
            if condition:
                depth += 1 if condition[1] == "if" else -1
            if not include:
                local.append(line)
            elif include[1] == '"':
                flush()
                pieces += self.header(include[2], depth <= 0, outermost)
            elif include[2].startswith("motte/"):
                pass # motte.h has it
            elif depth <= 0:
                self.system.add(include[2])
            else:
                local += ["#pragma GCC visibility push(default)", line, "#pragma GCC visibility pop"]
        flush()
        return pieces

    def header(self, name, always, outermost):
        if name in self.written:
            return []
        path = self.root / "src" / name
        is_template = name in self.templates
        if is_template and not outermost:
            raise ValueError(f"{name} is configured by macros, and included by a header that is not")
        if always:
            if not is_template:
                self.written.add(name)
            return self.expand(path, is_template)
        # What only one branch of a condition includes has to be written again in the next.
        before = set(self.written)
        pieces = self.expand(path, is_template, always)
        self.written = before
        return pieces


def tokens_of(text):
    return [(match.lastgroup, match[0]) for match in TOKEN.finditer(text)]


def matching(tokens, start):
    """The index of the bracket that closes the one at `start`."""
    close, depth = BRACKETS[tokens[start]], 0
    for i in range(start, len(tokens)):
        depth += (tokens[i] == tokens[start]) - (tokens[i] == close)
        if depth == 0:
            return i
    raise ValueError(f"no {close}")


def code_words(text):
    """The tokens of a text without comments, space and directives."""
    directives = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)
    directives = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", directives, flags=re.MULTILINE)
    return [word for kind, word in tokens_of(directives) if kind not in ("comment", "space", "line")]


def enumerators(body):
    """Of the words between the braces of an enum."""
    names, expects, i = [], True, 0
    while i < len(body):
        if expects and NAME.match(body[i]):
            names.append(body[i])
            expects = False
        elif body[i] in BRACKETS:
            i = matching(body, i)
        elif body[i] == ",":
            expects = True
        i += 1
    return names


def declared(words):
    """What a declaration at file scope declares: (names of types and constants, names of functions and
    variables)."""
    types, objects, i, rest = [], [], 0, []
    while i < len(words): # without bodies and attributes
        word = words[i]
        if word in ("__attribute__", "_Alignas", "alignas") and words[i + 1] == "(":
            i = matching(words, i + 1)
        elif word in ("struct", "union", "enum") and "{" in words[i + 1:i + 3]:
            start = words.index("{", i)
            end = matching(words, start)
            if start == i + 2:
                types.append(words[i + 1])
            if word == "enum":
                types += enumerators(words[start + 1:end])
            rest.append("int")
            i = end
        else:
            rest.append(word)
        i += 1
    names = types if rest[0] == "typedef" else objects
    if rest[0] == "typedef" or "static" in rest or "MO_INLINE" in rest:
        names += [name for name in declarators(rest) if NAME.match(name) and name not in KEYWORDS]
    return types, objects


def declarators(words):
    """The names that a declaration declares, by its words without bodies of structs."""
    names, expects, i = [], True, 0
    while i < len(words):
        word = words[i]
        if expects and word == "(" and words[i + 1] == "*":
            names.append(next(word for word in words[i + 2:] if NAME.match(word) and word not in QUALIFIERS))
            expects = False
        elif expects and word in ("(", "=", "[", ";", ","):
            names.append(words[i - 1])
            expects = word == ","
        elif word == ",":
            expects = True
        if word in BRACKETS:
            i = matching(words, i)
        i += 1
    return names


def local_names(text):
    """The names that a source file declares at file scope for itself."""
    words = code_words(text)
    types, objects, i = set(), set(), 0
    while i < len(words):
        start, is_function = i, False
        while words[i] != ";" and not is_function:
            if words[i] == "{":
                is_function = words[i - 1] == ")"
            if words[i] in BRACKETS:
                i = matching(words, i)
            else:
                i += 1
                continue
            i += not is_function
        one = words[start:i + 1]
        if one[0] != "_Static_assert":
            more_types, more_objects = declared(one)
            types.update(more_types)
            objects.update(more_objects)
        i += 1
    return types, objects


def is_member(before, word, after, in_struct, types):
    """Whether a name is one of a struct's members, by the words around it."""
    if before in (".", "->"):
        return True
    declares = after in (";", ",", "[", ":") and before not in ("{", ";", "[", ":")
    return in_struct and (word not in types or declares)


def rename(text, suffix, kept):
    """The text with the names that it declares for itself made its own, but for those in `kept`."""
    types, objects = local_names(text)
    pasted = tuple(PASTED.findall(text))
    new = {name: f"{name}__{suffix}" for name in (types | objects) - kept
           if not (pasted and name.startswith(pasted)) and not re.match(r"[a-z]+_[A-Z]", name)}
    tokens = tokens_of(text)
    code = [i for i, (kind, _) in enumerate(tokens) if kind not in ("comment", "space", "line")]
    words = ["", ""] + [tokens[i][1] for i in code] + [""]
    in_struct = [] # for each bracket that is open
    for at, i in enumerate(code, 2):
        word = words[at]
        if word in BRACKETS:
            in_struct.append(word == "{" and ("struct" in words[at - 2:at] or "union" in words[at - 2:at]))
        elif word in BRACKETS.values() and in_struct:
            in_struct.pop()
        elif word in new and not is_member(words[at - 1], word, words[at + 1], in_struct[-1:] == [True], types):
            tokens[i] = ("name", new[word])
    return "".join(word for _, word in tokens)


def open_macros(text):
    """The macros that a text defines and leaves defined."""
    left = {}
    for kind, name in DEFINE.findall(text):
        left[name] = kind == "define"
    return sorted(name for name, is_defined in left.items() if is_defined)


def find_templates(headers, sources):
    """Headers without a guard, or that mention a macro which only sources define."""
    settings = {name for text in sources for _, name in DEFINE.findall(text)}
    return {name for name, text in headers.items() if not GUARD.match(text) or
            (settings & set(code_words(text.replace("#", " "))) - {name for _, name in DEFINE.findall(text)})}


def united(root, chosen):
    """The headers of the system that the chosen source files include, and these as one."""
    sources = sorted((root / "src").glob("**/*.c"))
    headers = {str(path.relative_to(root / "src")): path.read_text() for path in (root / "src").glob("**/*.h")}
    templates = find_templates(headers, [path.read_text() for path in sources])
    includes = Includes(root, templates)
    common = [text for name, text in headers.items() if name not in templates]
    common += [path.read_text() for path in (root / "include").glob("**/*.h")]
    kept = {word for text in common for word in code_words(text) if word.startswith("mo_")}
    kept |= {name for text in [*headers.values(), *(path.read_text() for path in sources)]
             for _, name in DEFINE.findall(text)}
    parts = []
    for path in sorted(chosen):
        name = path.relative_to(root / "src").with_suffix("")
        pieces = includes.expand(path)
        local = "\n".join(text if is_local else "" for is_local, text in pieces)
        shared = "".join(text for is_local, text in pieces if not is_local)
        local = re.sub(r"^#define _(GNU|DEFAULT)_SOURCE\b.*\n", "", local, flags=re.MULTILINE) # at the head of the file
        undefined = "".join(f"#undef {macro}\n" for macro in open_macros(local))
        parts.append(f"/* {name}.c */\n{shared}{rename(local, re.sub('[^a-z0-9]', '_', str(name)), kept)}{undefined}")
    system = "".join(f"#include <{name}>\n" for name in sorted(includes.system))
    return system, "\n".join(parts)


def write_source(root):
    version = re.search(r"version: '([\d.]+)'", (root / "meson.build").read_text())[1]
    system, text = united(root, (root / "src").glob("**/*.c"))
    return (HEAD.replace("{version}", version) + '#include "motte.h"\n\n' + system +
            f"\n#pragma GCC visibility push(hidden)\n\n{text}\n#pragma GCC visibility pop\n")


def write_header(root):
    """motte/motte.h with what it includes."""
    written, system = set(), set()

    def expand(name):
        lines = []
        for line in (root / "include" / name).read_text().splitlines():
            include = INCLUDE.match(line)
            if not include:
                lines.append(line)
            elif not include[2].startswith("motte/"):
                lines.append(line)
            elif include[2] not in written:
                written.add(include[2])
                lines += expand(include[2])
        return lines
    return "\n".join(expand("motte/motte.h")) + "\n"


def unite(root, output, dependencies, files):
    # Some of the files use a header's constants; some have local names that are those of types in others.
    head = "".join(f'#pragma GCC diagnostic ignored "{flag}"\n' for flag in ("-Wunused-const-variable", "-Wshadow"))
    head += "#define _GNU_SOURCE\n#include <motte/motte.h>\n"
    text = head + "\n".join(united(root, [pathlib.Path(name).resolve() for name in files]))
    pathlib.Path(output).write_text(text)
    headers = " ".join(str(path).replace(" ", "\\ ") for path in sorted((root / "src").glob("**/*.h")))
    pathlib.Path(dependencies).write_text(f"{output}: {headers}\n")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unite", nargs=2, metavar=("OUTPUT.c", "DEPENDENCIES.d"))
    parser.add_argument("paths", nargs="+", metavar="FOLDER|FILE")
    arguments = parser.parse_args()
    if arguments.unite:
        unite(root, *arguments.unite, arguments.paths)
        return
    if len(arguments.paths) != 1:
        parser.error("one folder, please")
    folder = pathlib.Path(arguments.paths[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "motte.h").write_text(write_header(root))
    (folder / "motte.c").write_text(write_source(root))


main()
