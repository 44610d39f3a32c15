"""Runs main.py of this folder on every case, in one fork of this process per case. This process runs no other program.

The question is on the standard input: a number of fields, and each field a length and its bytes, namely the milliseconds and the
most bytes of output of a case, and for every case the number of arguments, the arguments and the input. The answer is written to the
standard output in the same way: for every case the ending, which is a status, "signal N", "time-out" or "output", the output and
the errors.

No program can forge the answer: its own streams are pipes, those of this process are closed before it starts, and a process that is
not dumpable can neither be traced nor have its streams opened through /proc.
"""
import ctypes
import os
import select
import signal
import struct
import sys
import time
import types

NAME = "main.py"
PR_SET_DUMPABLE = 4


def main():
    set_dumpable(0)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    fields = read(questions)
    seconds, most = int(fields[0]) / 1000, int(fields[1])
    with open(NAME, "rb") as file:
        source = file.read()
    code = compile(source, NAME, "exec", dont_inherit=True)
    # Importing the module takes a while, and only programs that name it can use it.
    has_random = b"random" in source
    if has_random:
        import random  # noqa: F401
    answer, at = [], 2
    while at < len(fields):
        count = int(fields[at])
        arguments = [os.fsdecode(field) for field in fields[at + 1 : at + 1 + count]]
        answer += run_once(code, has_random, arguments, fields[at + 1 + count], seconds, most)
        at += count + 2
        # After one timeout, further cases would only take the same time again.
        if answer[-3] == b"time-out":
            break
    message = struct.pack(">I", len(answer)) + b"".join(struct.pack(">I", len(field)) + field for field in answer)
    while message:
        message = message[os.write(answers, message) :]
    os._exit(0)


def set_dumpable(is_dumpable):
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0)


def read(questions):
    (count,) = struct.unpack(">I", questions.read(4))
    fields = []
    for _ in range(count):
        (length,) = struct.unpack(">I", questions.read(4))
        fields.append(questions.read(length))
    return fields


def run_once(code, has_random, arguments, given, seconds, most):
    inside, outside, errors = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, end in ((0, inside[0]), (1, outside[1]), (2, errors[1])):
            os.dup2(end, number)
        os.closerange(3, 256)
        set_dumpable(1)
        become(code, has_random, arguments)
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
        is_over = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else str(os.WEXITSTATUS(status))
        ending = "time-out" if is_over else ended
    return [ending.encode(), *texts]


def converse(child, into, out, errors, given, seconds, most):
    """Writes the input, reads the output, and returns why it stopped before the program ended, if it did."""
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
        for end, _ in poll.poll(left * 1000 + 1):
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
    # The program may continue after it has closed both streams.
    while ending is None and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > limit:
            ending = "time-out"
        time.sleep(0.0005)
    return ending, [bytes(texts[out][:most]), bytes(texts[errors][:most])]


def become(code, has_random, arguments):
    """Executes the program until the process exits."""
    sys.argv = [NAME, *arguments]
    sys.path[:] = [os.getcwd(), *[place for place in sys.path[1:] if place]]
    module = types.ModuleType("__main__")
    module.__file__ = NAME
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    if has_random:
        import random

        random.seed(0)
    # Exit status and final output are those of an ordinary interpreter process.
    exec(code, module.__dict__)
    sys.exit()


main()
