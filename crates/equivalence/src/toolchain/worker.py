"""Checks and runs Python programs from one warm interpreter; every run is a fork of it.

A message is a number of fields, and each field a length and its bytes. Questions: ["check", source] or
["run", source, milliseconds, most bytes of output, (number of arguments, arguments…, input)…]. Answers: ["passes"],
["rejected", problem], or ["ran", (ending, output, errors)…], where an ending is a status, "signal N", "time-out" or "output".
"""
import gc
import os
import select
import signal
import struct
import sys
import time
import traceback
import types
import warnings

# What programs import: a fork of an interpreter that has them starts at once.
import abc, asyncio, bisect, collections, contextlib, copy, dataclasses, datetime, decimal, enum, fractions  # noqa: E401,F401
import functools, heapq, io, itertools, json, math, operator, random, re, statistics, string, textwrap, typing  # noqa: E401,F401

NAME = "main.py"


def main():
    warnings.simplefilter("ignore")
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    gc.collect()
    gc.freeze()
    while (question := read(questions)) is not None:
        answer = run(question[1:]) if question[0] == b"run" else check(question[1])
        answers.write(struct.pack(">i", len(answer)))
        for field in answer:
            answers.write(struct.pack(">i", len(field)) + field)
        answers.flush()


def read(questions):
    head = questions.read(4)
    if len(head) < 4:
        return None
    fields = []
    for _ in range(struct.unpack(">i", head)[0]):
        (length,) = struct.unpack(">i", questions.read(4))
        fields.append(questions.read(length))
    return fields


def check(source):
    return compiled(source)[1]


def compiled(source):
    """The code, and what is to be said about the source."""
    try:
        return compile(source, NAME, "exec", dont_inherit=True), [b"passes"]
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as problem:
        return None, [b"rejected", f"{type(problem).__name__}: {problem}".encode("utf-8", "replace")]


def run(fields):
    source, seconds, most = fields[0], int(fields[1]) / 1000, int(fields[2])
    code, checked = compiled(source)
    if code is None:
        return checked
    answer, at = [b"ran"], 3
    while at < len(fields):
        count = int(fields[at])
        arguments = [os.fsdecode(field) for field in fields[at + 1 : at + 1 + count]]
        answer += run_once(code, arguments, fields[at + 1 + count], seconds, most)
        at += count + 2
    return answer


def run_once(code, arguments, given, seconds, most):
    inside, outside = os.pipe(), os.pipe()
    errors = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, end in ((0, inside[0]), (1, outside[1]), (2, errors[1])):
            os.dup2(end, number)
        os.closerange(3, 256)
        become(code, arguments)
    for end in (inside[0], outside[1], errors[1]):
        os.close(end)
    os.set_blocking(inside[1], False)
    ending, texts = converse(child, inside[1], outside[0], errors[0], given, seconds, most)
    for end in (outside[0], errors[0]):
        os.close(end)
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    _, status = os.waitpid(child, 0)
    if ending is None:
        ending = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else str(os.WEXITSTATUS(status))
    return [ending.encode(), *texts]


def converse(child, into, out, errors, given, seconds, most):
    """Writes the input, reads what comes, and says why it stopped doing so, if not because the program ended."""
    texts = {out: bytearray(), errors: bytearray()}
    poll = select.poll()
    for end in texts:
        poll.register(end, select.POLLIN)
    poll.register(into, select.POLLOUT)
    limit, is_open = time.monotonic() + seconds, True
    pending, ending = memoryview(given), None
    waiting = set(texts)
    while waiting:
        left = limit - time.monotonic()
        if left <= 0:
            ending = "time-out"
            break
        for end, events in poll.poll(left * 1000 + 1):
            if end == into:
                try:
                    pending = pending[os.write(into, pending[:65536]) :] if pending else pending
                except BlockingIOError:
                    pass
                except OSError:
                    pending = memoryview(b"")
                if not pending:
                    poll.unregister(into)
                    os.close(into)
                    is_open = False
                continue
            data = os.read(end, 65536)
            texts[end] += data
            if not data:
                poll.unregister(end)
                waiting.discard(end)
        if any(len(text) > most for text in texts.values()):
            ending = "output"
            break
    if is_open:
        os.close(into)
    # Both streams are closed, but the program may go on without them.
    while ending is None and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > limit:
            ending = "time-out"
        time.sleep(0.0005)
    return ending, [bytes(texts[out][:most]), bytes(texts[errors][:most])]


def become(code, arguments):
    """Is the program that was asked for, from here to the end of the process."""
    status = 1
    try:
        sys.argv = [NAME, *arguments]
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")
        sys.path[:] = [os.getcwd(), *[place for place in sys.path if place]]
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        module = types.ModuleType("__main__")
        module.__dict__["__file__"] = NAME
        module.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = module
        random.seed(0)
        status = execute(code, module)
    finally:
        os._exit(status)


def execute(code, module):
    status = 0
    try:
        exec(code, module.__dict__)
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
        if status == 1 and not isinstance(ending.code, int):
            print(ending.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    try:
        import threading

        threading._shutdown()
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        status = 120
    return status & 0xFF


main()
