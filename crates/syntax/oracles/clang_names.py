"""The name resolution of clang, as an oracle for the tables of scopes of C and C++.

Usage: python clang_names.py c|c++        (needs the package `libclang`, which carries its library)

Reads one JSON object a line, {"text": "..."}, and answers each with one line:
{"names": [[start, end, declaration], ...]} in bytes, -1 for what is declared outside the text.
Programs with errors are judged as far as clang recovers: what it cannot resolve is left out.
"""

import atexit
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from clang.cindex import CursorKind, Index, SourceLocation, TranslationUnit, conf

NAME = re.compile(rb"[A-Za-z_$][A-Za-z0-9_$]*")

# The line break that some data sets lose behind an included header, and before the directive.
LOST_BREAK = re.compile(r'(#[ \t]*include[ \t]*(?:<[^>\n]*>|"[^"\n]*"))[ \t](?=[ \t]*[^\s/])')

# `HELPER(add)(int a)`: a macro that is not defined here makes the name.
MADE_NAME = re.compile(rb"\w+\s*\([\w\s,]*\)\s*\(")

REFERENCES = {
    CursorKind.DECL_REF_EXPR,
    CursorKind.MEMBER_REF_EXPR,
    CursorKind.MEMBER_REF,
    CursorKind.TYPE_REF,
    CursorKind.TEMPLATE_REF,
    CursorKind.NAMESPACE_REF,
    CursorKind.LABEL_REF,
    CursorKind.VARIABLE_REF,
}

CLASSES = {
    CursorKind.STRUCT_DECL,
    CursorKind.UNION_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    CursorKind.ENUM_DECL,
}


def spelled_at(location):
    """The file and the byte where a location is spelled, through macro arguments."""
    file, line, column, offset = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    spelling_location(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset))
    return file.value, offset.value


def prepare_library():
    global spelling_location
    spelling_location = conf.lib.clang_getSpellingLocation
    spelling_location.argtypes = [SourceLocation] + [ctypes.c_void_p] * 4
    spelling_location.restype = None


def system_headers(language):
    """Where the installed compiler has its headers: the package brings none."""
    command = ["gcc", "-E", "-v", "-x", language, "/dev/null"]
    listing = subprocess.run(command, capture_output=True, text=True).stderr
    folders = re.search(r"search starts here:\n(?:#include <.*\n)?((?: .*\n)*)End of search", listing)
    return [word for folder in (folders[1].split() if folders else []) for word in ("-isystem", folder)]


class Judge:
    def __init__(self, text, unit, is_c):
        self.text = text
        self.is_c = is_c
        self.main = spelled_at(unit.cursor.extent.start)[0]
        self.declared = {}  # from the byte of a declaration's name to itself
        self.by_usr = {}  # functions: from the entity to its first declaration in the text
        self.names = {}
        self.unclear = set()
        self.macros = {}
        cursors = list(walk(unit.cursor))
        in_text = [cursor for cursor in cursors if self.place(cursor) is not None]
        for cursor in in_text:
            if cursor.kind == CursorKind.MACRO_DEFINITION:
                self.macros.setdefault(cursor.spelling, self.place(cursor))
        for cursor in in_text:
            if cursor.kind.is_declaration() or cursor.kind == CursorKind.LABEL_STMT:
                self.note_declaration(cursor)
        for cursor in in_text:
            self.judge(cursor)

    def place(self, cursor):
        """The byte of the cursor's name when it is spelled in the text."""
        file, offset = spelled_at(cursor.location)
        return offset if file == self.main else None

    def word_at(self, place):
        found = NAME.match(self.text, place)
        return found[0].decode() if found else ""

    def note_declaration(self, cursor):
        place = self.place(cursor)
        if self.word_at(place) != name_of(cursor) or MADE_NAME.match(self.text, place):
            return
        self.declared[place] = place
        usr = cursor.get_usr()
        if usr and cursor.kind in (CursorKind.FUNCTION_DECL, CursorKind.VAR_DECL, CursorKind.TYPEDEF_DECL):
            self.by_usr.setdefault(usr, place)

    def judge(self, cursor):
        kind = cursor.kind
        place = self.place(cursor)
        word = self.word_at(place)
        if not word:
            return
        if kind == CursorKind.MACRO_DEFINITION:
            self.answer(place, word, self.macros[cursor.spelling], True)
        elif kind == CursorKind.MACRO_INSTANTIATION:
            self.answer(place, word, self.macros.get(cursor.spelling, -1), True)
        elif kind in REFERENCES:
            target = cursor.referenced
            if target is not None and name_of(target) == word:
                self.refer(place, word, target)
        elif kind == CursorKind.USING_DECLARATION:
            # It brings a name in, and declares none.
            return
        elif kind.is_declaration() or kind == CursorKind.LABEL_STMT:
            if name_of(cursor) == word and not MADE_NAME.match(self.text, place):
                self.refer(place, word, cursor)

    def refer(self, place, word, target):
        if target.kind in (CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR):
            target = target.semantic_parent
        if target.kind in (CursorKind.INVALID_FILE, CursorKind.NO_DECL_FOUND, CursorKind.OVERLOADED_DECL_REF):
            return
        template = conf.lib.clang_getSpecializedCursorTemplate(target)
        while template is not None and template.kind.is_declaration():
            target = template
            template = conf.lib.clang_getSpecializedCursorTemplate(target)
        if target.kind == CursorKind.TYPEDEF_DECL:
            # In C++, `typedef struct s {} s;` names one type twice.
            declared = target.underlying_typedef_type.get_declaration()
            if not self.is_c and declared.spelling == target.spelling:
                target = declared
        if target.kind in CLASSES:
            # The first mention of a type declares it; where it is defined is what counts.
            target = target.get_definition() or target
        else:
            target = target.canonical
        file, offset = spelled_at(target.location)
        if file is None:
            # A builtin, which is also what clang finds behind a variable whose type it does not know.
            return
        if file != self.main:
            # A declaration of the text may repeat one of a header.
            self.answer(place, word, self.by_usr.get(target.get_usr(), -1), False)
            return
        if target.kind in CLASSES and not target.is_definition():
            return
        if offset in self.declared:
            self.answer(place, word, offset, False)
        elif target.get_usr() in self.by_usr:
            # A call before the declaration declares the function by itself.
            self.answer(place, word, self.by_usr[target.get_usr()], False)
        elif target.kind == CursorKind.FUNCTION_DECL and not self.is_mentioned_without_call(word):
            # A call of a function that nobody declares.
            self.answer(place, word, -1, False)

    def is_mentioned_without_call(self, word):
        """Clang reads `unknown_type word;` as an expression, and misses that it declares `word`."""
        return re.search(rb"\b" + word.encode() + rb"\s*[;,=)\[]", self.text) is not None

    def answer(self, place, word, declaration, is_certain):
        """Notes an answer; one name with two answers has none, unless a macro stands there."""
        end = place + len(word.encode())
        known = self.names.get(place)
        if known is None or is_certain:
            self.names[place] = [place, end, declaration]
            if is_certain:
                self.unclear.discard(place)
        elif known[2] != declaration and self.text[place:end].decode() not in self.macros:
            self.unclear.add(place)

    def result(self):
        return [self.names[place] for place in sorted(self.names) if place not in self.unclear]


def name_of(cursor):
    """The name of a declaration without its template arguments, and without the tilde of a destructor."""
    if cursor.kind == CursorKind.DESTRUCTOR:
        return cursor.spelling.lstrip("~").split("<")[0]
    return cursor.spelling.split("<")[0]


def walk(cursor):
    stack = [cursor]
    while stack:
        cursor = stack.pop()
        yield cursor
        # Headers are long, and nothing in them is asked for.
        if cursor.kind == CursorKind.TRANSLATION_UNIT:
            file = cursor.spelling
            children = [
                child
                for child in cursor.get_children()
                if child.location.file is None or child.location.file.name == file
            ]
        else:
            children = list(cursor.get_children())
        stack.extend(reversed(children))


def precompiled(index, arguments):
    """The whole standard library read once: a program that includes parts of it is then judged in no time."""
    folder = tempfile.mkdtemp(prefix="clang_names_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    header, compiled = os.path.join(folder, "library.hpp"), os.path.join(folder, "library.pch")
    with open(header, "w") as file:
        file.write("#include <bits/stdc++.h>\n")
    as_header = ["c++-header" if word == "c++" else word for word in arguments]
    index.parse(header, as_header, options=TranslationUnit.PARSE_INCOMPLETE).save(compiled)
    return ["-include-pch", compiled]


def main():
    language = sys.argv[1]
    file = "input.c" if language == "c" else "input.cpp"
    arguments = ["-x", language, "-w", "-ferror-limit=0", "-Wno-implicit-function-declaration", "-Wno-implicit-int"]
    arguments.append("-std=gnu11" if language == "c" else "-std=gnu++17")
    arguments += system_headers(language)
    # The declarations of the precompiled library are looked up, but need not be walked over.
    index = Index.create(excludeDecls=True)
    # Clang's own declarations need the library to be loaded first.
    prepare_library()
    # Fragments lack their headers, and clang misreads declarations with types that it does not know.
    if language == "c":
        arguments += ["-include", "stddef.h", "-include", "stdint.h"]
    else:
        arguments += precompiled(index, arguments)
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    for line in sys.stdin:
        text = LOST_BREAK.sub(r"\1" + "\n", json.loads(line)["text"])
        text = re.sub(r"[ \t](?=#[ \t]*include)", "\n", text)
        try:
            unit = index.parse(file, arguments, unsaved_files=[(file, text)], options=options)
            answer = {"names": Judge(text.encode(), unit, language == "c").result()}
        except Exception as problem:  # The oracle must answer, whatever clang does.
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
