"""What match statements bind."""
import http  #: http#1:import


class Point:  #: Point#2:type
    __match_args__ = ("x", "y")  #: __match_args__#3:field

    def __init__(self, x, y):  #: __init__#4:function self#5:parameter x#6:parameter y#7:parameter
        self.x = x  #: self#5 x#8:field x#6
        self.y = y  #: self#5 y#9:field y#7


class Colour:  #: Colour#10:type
    RED = 1  #: RED#11:field


def describe(value, limit):  #: describe#12:function value#13:parameter limit#14:parameter
    match value:  #: value#13
        case Point(x=0, y=depth) if depth > limit:  #: Point#2 x#8 y#9 depth#15:local depth#15 limit#14
            return depth  #: depth#15
        case Point(x, y) | [x, y]:  #: Point#2 x#16:local y#17:local x#16 y#17
            return x + y  #: x#16 y#17
        case Colour.RED | http.HTTPStatus.OK:  #: Colour#10 RED#11 http#1 HTTPStatus:outside OK:member
            return limit  #: limit#14
        case [first, *rest, _]:  #: first#18:local rest#19:local
            return first, rest  #: first#18 rest#19
        case {"key": found, Colour.RED: colour, **more}:  #: found#20:local Colour#10 RED#11 colour#21:local more#22:local
            return found, colour, more  #: found#20 colour#21 more#22
        case (1 | 2) as number:  #: number#23:local
            return number  #: number#23
        case str() | None | -1 | 2 + 3j:  #: str:outside
            return "x"
        case int(whole), *_:  #: int:outside whole#24:local
            return whole  #: whole#24
        case Unknown(kind=Point(x=inner) as outer):  #: Unknown:outside kind:member Point#2 x#8 inner#25:local outer#26:local
            return inner, outer  #: inner#25 outer#26
        case limit if limit:  #: limit#14 limit#14
            return limit  #: limit#14
        case _:
            return missing  #: missing:outside


match = describe(value=Point(1, y=2), limit=3)  #: match#27:global describe#12 value#13 Point#2 y#7 limit#14
match match:  #: match#27
    case [match]:  #: match#27
        print(match)  #: print:outside match#27
case = type = _ = match  #: case#28:global type#29:global _#30:global match#27
print(case, type, _)  #: print:outside case#28 type#29 _#30
