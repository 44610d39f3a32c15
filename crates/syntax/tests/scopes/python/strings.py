"""f-strings, keyword arguments and decorators."""
import functools  #: functools#1:import
width = 5  #: width#2:global


def show(name, width=width, *, end="", **options):  #: show#3:function name#4:parameter width#5:parameter width#2 end#6:parameter options#7:parameter
    text = f"{name!r:>{width}} {name=} {options['a']:{end}}" f'{name + "x"}'  #: text#8:local name#4 width#5 name#4 options#7 end#6 name#4
    return "{name}".format(name=text) + f"{[n for n in name]}"  #: format:outside name:outside text#8 n#9 n#9:local name#4


def trace(label):  #: trace#10:function label#11:parameter
    def wrap(function):  #: wrap#12:function function#13:parameter
        @functools.wraps(function)  #: functools#1 wraps:outside function#13
        def call(*args, **kwargs):  #: call#14:function args#15:parameter kwargs#16:parameter
            return function(*args, **kwargs)  #: function#13 args#15 kwargs#16
        return call  #: call#14
    return wrap  #: wrap#12


@trace(label=width)  #: trace#10 label#11 width#2
def traced(label):  #: traced#17:function label#18:parameter
    return label  #: label#18


@functools.lru_cache(maxsize=None)  #: functools#1 lru_cache:outside maxsize:outside
def cached(n):  #: cached#19:function n#20:parameter
    return cached(n=n - 1)  #: cached#19 n#20 n#20


class Maker:  #: Maker#21:type
    def __init__(self, size):  #: __init__#22:function self#23:parameter size#24:parameter
        self.size = size  #: self#23 size#25:field size#24

    def make(self, count):  #: make#26:function self#27:parameter count#28:parameter
        return self.make(count=count, size=self.size)  #: self#27 make#26 count#28 count#28 size:member self#27 size#25

    def run(self, speed):  #: run#29:function self#30:parameter speed#31:parameter
        return self.run(speed=speed)  #: self#30 run#29 speed:member speed#31


class Slow(Maker):  #: Slow#32:type Maker#21
    def run(self, speed):  #: run#29:function self#33:parameter speed#34:parameter
        return speed  #: speed#34


class Strange:  #: Strange#35:type
    def __new__(cls, size):  #: __new__#36:function cls#37:parameter size#38:parameter
        return size  #: size#38

    def __init__(self, size):  #: __init__#39:function self#40:parameter size#41:parameter
        pass


def positional(a, /, b, *args):  #: positional#42:function a#43:parameter b#44:parameter args#45:parameter
    return a, b, args  #: a#43 b#44 args#45


other = show  #: other#46:global show#3
other(name=1)  #: other#46 name:member
show(name=1, end="", unlisted=2)  #: show#3 name#4 end#6 unlisted:outside
traced(label=1)  #: traced#17 label:member
Maker(size=width).make(count=1)  #: Maker#21 size#24 width#2 make#26 count#28
Strange(size=1)  #: Strange#35 size:member
positional(a=1, b=2, args=3)  #: positional#42 a:member b#44 args:member
print("x", end="", sep=str(object=width))  #: print:outside end:outside sep:outside str:outside object:outside width#2
unknown(key=1).method(key=2)  #: unknown:outside key:outside method:member key:member
(lambda k: k)(k=1)  #: k#47:parameter k#47 k:member
