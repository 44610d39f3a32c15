"""Class bodies run from top to bottom, and what decorators, defaults and bases name is outside."""
from contextlib import contextmanager  #: contextlib:outside contextmanager#1:import

debug = True  #: debug#2:global
base = object  #: base#3:global object:outside
rank = 0  #: rank#4:global


class Levels(base):  #: Levels#5:type base#3
    before = rank  #: before#6:field rank#4
    for rank in range(3):  #: rank#7:field range:outside
        before += rank  #: before#6 rank#7
        repeated = later  #: repeated#8:field later:unknown
        later = rank  #: later#9:field rank#7
    after = rank  #: after#10:field rank:unknown
    with open("x") as handle, handle as second:  #: open:outside handle#11:field handle#11 second#12:field
        content = handle.read(), second  #: content#13:field handle#11 read:member second#12
    import sys as debug  #: sys:outside debug#14:import
    platform = debug.platform  #: platform#15:field debug#14 platform:member
    try:
        base = base.parent  #: base#16:field base#3 parent:member
    except AttributeError as problem:  #: AttributeError:outside problem#17:field
        base = problem  #: base#16 problem#17
    del problem, content  #: problem#17 content#13
    extra = extra  #: extra#18:field extra:outside

    def rank(self, start=extra):  #: rank#7 self#19:parameter start#20:parameter extra#18
        return rank, self.rank, start  #: rank#4 self#19 rank#7 start#20

    while debug:  #: debug#14
        debug = None  #: debug#14


def decorate(function=None, *, rank=rank):  #: decorate#21:function function#22:parameter rank#23:parameter rank#4
    return function or (lambda inner: inner)  #: function#22 inner#24:parameter inner#24


@decorate(rank=rank)  #: decorate#21 rank#23 rank#4
@contextmanager  #: contextmanager#1
def managed(rank, base=base):  #: managed#25:function rank#26:parameter base#27:parameter base#3
    class base(base, key=rank):  #: base#27 base#27 key:member rank#26
        rank = rank  #: rank#28:field rank#4

        @decorate  #: decorate#21
        def own(self, base=rank):  #: own#29:function self#30:parameter base#31:parameter rank#28
            return base, self.rank, self.unknown  #: base#31 self#30 rank#28 self#30 unknown:member

    yield base.rank  #: base#27 rank:member
    result = yield  #: result#32:local
    yield from (rank for rank in [rank])  #: rank#33 rank#33:local rank#26
    return result  #: result#32


class Twice:  #: Twice#34:type
    one = 1  #: one#35:field

    def get(self):  #: get#36:function self#37:parameter
        return self.one, self.two  #: self#37 one#35 self#37 two:member


class Twice:  #: Twice#34
    two = 2  #: two#38:field

    def get(self):  #: get#39:function self#40:parameter
        return self.one, self.two  #: self#40 one:member self#40 two#38


class Left:  #: Left#41:type
    def work(self):  #: work#42:function self#43:parameter
        self.shared = self.right  #: self#43 shared#44:field self#43 right:member
        return self.work()  #: self#43 work#42


class Right:  #: Right#45:type
    def work(self):  #: work#42:function self#46:parameter
        self.right = 1  #: self#46 right#47:field


class Both(Left, Right):  #: Both#48:type Left#41 Right#45
    def both(self):  #: both#49:function self#50:parameter
        return self.work(), self.shared, self.right, Twice.two  #: self#50 work#42 self#50 shared#44 self#50 right#47 Twice#34 two:member


def attributes(self, thing):  #: attributes#51:function self#52:parameter thing#53:parameter
    self.free = thing.free  #: self#52 free:member thing#53 free:member
    managed.flag = thing.free.flag = True  #: managed#25 flag:member thing#53 free:member flag:member
    return Both().shared.deep, [].append, "x".join(thing), {}.get, (1).real  #: Both#48 shared#44 deep:member append:outside join:outside thing#53 get:outside real:outside


assert isinstance(Both, type), managed(rank=1, base=2)  #: isinstance:outside Both#48 type:outside managed#25 rank:member base:member
async def main():  #: main#54:function
    global started  #: started#55
    started = await attributes(thing=1, self=2)  #: started#55:global attributes#51 thing#53 self#52
    return started if debug else not started  #: started#55 debug#2 started#55
