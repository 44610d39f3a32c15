"""Python 2: list comprehensions leak, parameters may be tuples, print and exec are statements."""
import sys  #: sys#1:import

i = 10  #: i#2:global
squares = [i * i for i in range(i)]  #: squares#3:global i#2 i#2 i#2 range:outside i#2
print i, squares  #: i#2 squares#3
print >>sys.stderr, i, "x"  #: sys#1 stderr:outside i#2
lazy = (j for j in squares)  #: lazy#4:global j#5 j#5:local squares#3
print j  #: j:outside


def unpack(a, (b, (c, d)), (e, f)=(1, 2)):  #: unpack#6:function a#7:parameter b#8:parameter c#9:parameter d#10:parameter e#11:parameter f#12:parameter
    print a, b, c, d, e, f  #: a#7 b#8 c#9 d#10 e#11 f#12
    swap = lambda (x, y), z=a: (y, x, z)  #: swap#13:local x#14:parameter y#15:parameter z#16:parameter a#7 y#15 x#14 z#16
    rows = [row for row in swap((b, c)) if [cell for cell in row]]  #: rows#17:local row#18 row#18:local swap#13 b#8 c#9 cell#19 cell#19:local row#18
    return row, cell, rows  #: row#18 cell#19 rows#17


def risky(code):  #: risky#20:function code#21:parameter
    try:
        exec code  #: code#21
        exec "x = 1" in squares  #: squares#3
    except ValueError, error:  #: ValueError:outside error#22:local
        print error  #: error#22
    except (IOError, OSError), (number, message):  #: IOError:outside OSError:outside number#23:local message#24:local
        raise RuntimeError, message  #: RuntimeError:outside message#24
    if number <> 0777 or 10L:  #: number#23
        return error  #: error#22


class Old:  #: Old#25:type
    names = [name for name in "ab"]  #: names#26:field name#27 name#27:field
    first = name  #: first#28:field name#27

    def get(self):  #: get#29:function self#30:parameter
        return name, self.name, [self.value for self.value in self.names]  #: name:outside self#30 name#27 self#30 value#31 self#30 value#31:field self#30 names#26


def shadowed(i):  #: shadowed#32:function i#33:parameter
    def inner():  #: inner#34:function
        global i  #: i#2
        i = 2  #: i#2
    pairs = [[j for i in j] for j in range(i)]  #: pairs#35:local j#36 i#33 j#36 j#36:local range:outside i#33
    return {i: pairs for k in pairs}, {k for k in pairs}  #: i#33 pairs#35 k#37:local pairs#35 k#38 k#38:local pairs#35
