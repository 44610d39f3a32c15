"""A name that is bound anywhere in a function belongs to the whole function."""
import math  #: math#1:import

limit = 10  #: limit#2:global
step = 1  #: step#3:global


def count(values, limit=limit, *rest, start=step, **options):  #: count#4:function values#5:parameter limit#6:parameter limit#2 rest#7:parameter start#8:parameter step#3 options#9:parameter
    total = start  #: total#10:local start#8
    for value in values:  #: value#11:local values#5
        if value > limit:  #: value#11 limit#6
            step = value - limit  #: step#12:local value#11 limit#6
            total += step  #: total#10 step#12
    print(step, rest, options["x"])  #: print:outside step#12 rest#7 options#9
    return total  #: total#10


def outer(a, b):  #: outer#13:function a#14:parameter b#15:parameter
    c = a  #: c#16:local a#14

    def inner(a):  #: inner#17:function a#18:parameter
        d = a + b + c + limit  #: d#19:local a#18 b#15 c#16 limit#2
        c2 = c  #: c2#20:local c#16
        return d + c2  #: d#19 c2#20

    def shadowing():  #: shadowing#21:function
        c = 2  #: c#22:local
        return c  #: c#22

    return inner(c) + shadowing()  #: inner#17 c#16 shadowing#21


def late():  #: late#23:function
    def reader():  #: reader#24:function
        return bound_later  #: bound_later#25

    bound_later = 3  #: bound_later#25:local
    return reader  #: reader#24


def targets(pairs):  #: targets#26:function pairs#27:parameter
    first, (second, *others) = pairs  #: first#28:local second#29:local others#30:local pairs#27
    [third, fourth] = others  #: third#31:local fourth#32:local others#30
    (fifth) = third  #: fifth#33:local third#31
    sixth = seventh = fifth  #: sixth#34:local seventh#35:local fifth#33
    first[second].field = sixth  #: first#28 second#29 field:member sixth#34
    seventh, pairs[0] = 1, 2  #: seventh#35 pairs#27
    for key, (left, right) in pairs:  #: key#36:local left#37:local right#38:local pairs#27
        last = key  #: last#39:local key#36
    else:
        last = left  #: last#39 left#37
    return fourth, last, right  #: fourth#32 last#39 right#38


def annotated(x: int, y: "str" = "a", *args: math.inf, z: float = limit) -> list[int]:  #: annotated#40:function x#41:parameter int:outside y#42:parameter args#43:parameter math#1 inf:outside z#44:parameter float:outside limit#2 list:outside int:outside
    result: list[float] = [x]  #: result#45:local list:outside float:outside x#41
    pending: int  #: pending#46:local int:outside
    result[0]: float = z  #: result#45 float:outside z#44
    return result, y, args, pending  #: result#45 y#42 args#43 pending#46


def positional(a, /, b, *, c):  #: positional#47:function a#48:parameter b#49:parameter c#50:parameter
    return a, b, c  #: a#48 b#49 c#50


def deleting(items):  #: deleting#51:function items#52:parameter
    size = len(items)  #: size#53:local len:outside items#52
    del items[0], size  #: items#52 size#53
    del (items)  #: items#52


square = lambda x, scale=step: x * x * scale  #: square#54:global x#55:parameter scale#56:parameter step#3 x#55 x#55 scale#56
nested = lambda x: lambda y, x=x: x + y + limit  #: nested#57:global x#58:parameter y#59:parameter x#60:parameter x#58 x#60 y#59 limit#2
print(square(2), nested(1)(2), undefined)  #: print:outside square#54 nested#57 undefined:outside
count([1], start=2, other=3)  #: count#4 start#8 other:outside
