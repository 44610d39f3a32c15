"""Comprehensions are scopes; their first iterable is evaluated outside; := binds outside of them."""
x = [1, 2]  #: x#1:global
y = [x for x in x]  #: y#2:global x#3 x#3:local x#1
pairs = [(x, z) for x in y for z in x if z]  #: pairs#4:global x#5 z#6 x#5:local y#2 z#6:local x#5 z#6
table = {k: v for k, v in pairs if k not in y}  #: table#7:global k#8 v#9 k#8:local v#9:local pairs#4 k#8 y#2
unique = {v for v in table}  #: unique#10:global v#11 v#11:local table#7
lazy = (w for w in unique if (seen := w))  #: lazy#12:global w#13 w#13:local unique#10 seen#14:global w#13
print(seen, x, sum(q for q in x))  #: print:outside seen#14 x#1 sum:outside q#15 q#15:local x#1


def scan(lines):  #: scan#16:function lines#17:parameter
    while (line := next(lines)) is not None:  #: line#18:local next:outside lines#17
        print(line)  #: print:outside line#18
    if any((found := item) > 3 for item in lines):  #: any:outside found#19:local item#20 item#20:local lines#17
        return found  #: found#19
    nested = [[cell for cell in row] for row in lines]  #: nested#21:local cell#22 cell#22:local row#23 row#23:local lines#17
    mixed = [lambda cell: cell + i for i in nested]  #: mixed#24:local cell#25:parameter cell#25 i#26 i#26:local nested#21
    matrix = [[(last := j) for j in range(i)] for i in range(3)]  #: matrix#27:local last#28:local j#29 j#29:local range:outside i#30 i#30:local range:outside
    return mixed, last, matrix, i  #: mixed#24 last#28 matrix#27 i:outside


class Holder:  #: Holder#31:type
    sizes = [1, 2]  #: sizes#32:field
    doubled = [size * 2 for size in sizes]  #: doubled#33:field size#34 size#34:local sizes#32
    first = {size for size in sizes if size in x}  #: first#35:field size#36 size#36:local sizes#32 size#36 x#1
    pick = lambda self, n: [n for n in x]  #: pick#37:field self#38:parameter n#39:parameter n#40 n#40:local x#1


async def gather(source):  #: gather#41:function source#42:parameter
    async with source as opened, opened.child() as (left, right):  #: source#42 opened#43:local opened#43 child:member left#44:local right#45:local
        pass
    async for part in source:  #: part#46:local source#42
        await part  #: part#46
    return [await p async for p in source if left], right  #: p#47 p#47:local source#42 left#44 right#45
