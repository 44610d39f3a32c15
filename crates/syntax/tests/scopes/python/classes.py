"""Class bodies are scopes that their methods do not see."""
from dataclasses import dataclass  #: dataclasses:outside dataclass#1:import

name = "module"  #: name#2:global
size = 3  #: size#3:global


class Shape:  #: Shape#4:type
    name = name  #: name#5:field name#2
    size: int = 1  #: size#6:field int:outside
    double = size * 2  #: double#7:field size#6
    sides = [size for side in range(size)]  #: sides#8:field size#3 side#9:local range:outside size#6

    def __init__(self, name, sides=double):  #: __init__#10:function self#11:parameter name#12:parameter sides#13:parameter double#7
        self.name = name  #: self#11 name#5 name#12
        self.sides = sides  #: self#11 sides#8 sides#13
        self.area = 0  #: self#11 area#14:field
        print(size, double)  #: print:outside size#3 double:outside

    def grow(self, factor):  #: grow#15:function self#16:parameter factor#17:parameter
        self.area *= factor  #: self#16 area#14 factor#17
        self.update(self.area, self.colour)  #: self#16 update#18 self#16 area#14 self#16 colour:member
        grow(self)  #: grow:outside self#16
        return lambda: self.area  #: self#16 area#14

    def update(self, area, colour):  #: update#18:function self#19:parameter area#20:parameter colour#21:parameter
        self.area: int = area  #: self#19 area#14 int:outside area#20
        del self.name  #: self#19 name#5
        other = Shape("x", sides=4)  #: other#22:local Shape#4 sides#13
        other.area = other.missing  #: other#22 area#14 other#22 missing:member
        Shape.size = Shape.double  #: Shape#4 size#6 Shape#4 double#7
        return other.grow(factor=2).area  #: other#22 grow#15 factor:member area:member

    @staticmethod  #: staticmethod:outside
    def make(kind):  #: make#23:function kind#24:parameter
        return kind.name  #: kind#24 name:member

    @classmethod  #: classmethod:outside
    def create(cls, name="y"):  #: create#25:function cls#26:parameter name#27:parameter
        cls.created = cls(name)  #: cls#26 created#28:field cls#26 name#27
        return cls.create  #: cls#26 create#25

    @property  #: property:outside
    def label(this):  #: label#29:function this#30:parameter
        def inner():  #: inner#31:function
            return this.name  #: this#30 name#5
        return inner  #: inner#31

    @label.setter  #: label#29 setter:member
    def label(this, value):  #: label#29 this#32:parameter value#33:parameter
        this.name = value  #: this#32 name#5 value#33

    def replaced(self):  #: replaced#34:function self#35:parameter
        self = Shape("z")  #: self#35 Shape#4
        return self.name  #: self#35 name:member

    def helper(self): return self.helper(self.make)  #: helper#36:function self#37:parameter self#37 helper#36 self#37 make#23

    alias = helper  #: alias#38:field helper#36


class Square(Shape):  #: Square#39:type Shape#4
    size = 4  #: size#6:field

    def __init__(self, side):  #: __init__#10:function self#40:parameter side#41:parameter
        super().__init__("square", sides=side)  #: super:outside __init__#10 sides:member side#41
        super(Square, self).grow(side)  #: super:outside Square#39 self#40 grow#15 side#41
        self.area = side * side  #: self#40 area#14:field side#41 side#41
        self.perimeter = Square.area  #: self#40 perimeter#42:field Square#39 area#14

    def grow(self, factor):  #: grow#15:function self#43:parameter factor#44:parameter
        return self.create(factor)  #: self#43 create#25 factor#44

    def __str__(self):  #: __str__#45:function self#46:parameter
        return "%s %s" % (__class__, self.nothing)  #: __class__:outside self#46 nothing:member


class Outer:  #: Outer#47:type
    class Inner:  #: Inner#48:type
        value = 1  #: value#49:field

    kept = Inner.value  #: kept#50:field Inner#48 value#49
    if size > 2:  #: size#3
        size = size  #: size#51:field size#3
    wide = size  #: wide#52:field size:unknown


def function(value):  #: function#53:function value#54:parameter
    class Local:  #: Local#55:type
        value = value  #: value#56:field value:outside
        kept = limit  #: kept#57:field limit#60

        def get(self):  #: get#58:function self#59:parameter
            return value, self.value  #: value#54 self#59 value#56

    limit = Local()  #: limit#60:local Local#55
    return limit.kept, limit.value  #: limit#60 kept#57 limit#60 value#56


@dataclass  #: dataclass#1
class Point(Outer.Inner, metaclass=type):  #: Point#61:type Outer#47 Inner#48 metaclass:outside type:outside
    x: int  #: x#62:field int:outside
    y: int = size  #: y#63:field int:outside size#3


print(Point(x=1, y=2).x, Shape.alias, Square(side=2).side, name.upper())  #: print:outside Point#61 x:member y:member x:member Shape#4 alias#38 Square#39 side#41 side:member name#2 upper:outside
square = Square(1)  #: square#64:global Square#39
square.perimeter = square.grow(factor=3)  #: square#64 perimeter#42 square#64 grow#15 factor:member
square.fresh = function.cache = None  #: square#64 fresh:member function#53 cache:member
