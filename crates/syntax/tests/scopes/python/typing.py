"""Type parameters and aliases of Python 3.12."""
T = int  #: T#1:global int:outside
type Pair[T] = tuple[T, Other]  #: Pair#2:type T#3:type tuple:outside T#3 Other:outside
type Plain = Pair[T]  #: Plain#4:type Pair#2 T#1


def first[T: Plain, *Ts, **P](items: list[T], default: T = T) -> T:  #: first#5:function T#6:type Plain#4 Ts#7:type P#8:type items#9:parameter list:outside T#6 default#10:parameter T#6 T#1 T#6
    kept: T = items[0]  #: kept#11:local T#6 items#9
    return kept  #: kept#11


class Box[T](list[T]):  #: Box#12:type T#13:type list:outside T#13
    Item = T  #: Item#14:field T#13
    size = 1  #: size#15:field

    def put[U](self, item: U, other: Item | T, count=size) -> Item:  #: put#16:function U#17:type self#18:parameter item#19:parameter U#17 other#20:parameter Item#14 T#13 count#21:parameter size#15 Item#14
        self.item = item  #: self#18 item#22:field item#19
        return T, U  #: T#13 U#17

    type Alias[V] = dict[V, Item]  #: Alias#23:type V#24:type dict:outside V#24 Item#14

    @first  #: first#5
    def decorated(self, size: size) -> "Box":  #: decorated#25:function self#26:parameter size#27:parameter size#15
        return size  #: size#27


def plain(box: Box, other: Other.Part) -> Box[int]:  #: plain#28:function box#29:parameter Box#12 other#30:parameter Other:outside Part:member Box#12 int:outside
    return box.item, box.size  #: box#29 item#22 box#29 size#15


print(plain(box=Box(), other=1).item, Other, U)  #: print:outside plain#28 box#29 Box#12 other#30 item:member Other:outside U:outside
