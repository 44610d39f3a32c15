// What the grammar takes for declarations and casts although the names are variables.
typedef int number;  //: number#1:type
int HELPER(add)(int left, int right) { return left + right; }  //: HELPER:outside add:unknown left#2:parameter right#3:parameter left#2 right#3
int look(int a, int b) {  //: look#4:function a#5:parameter b#6:parameter
    int c = 3, *p = &c;  //: c#7:local p#8:local c#7
    a * b;  //: a#5 b#6
    c = (a) * b;  //: c#7 a#5 b#6
    c = (a) - b;  //: c#7 a#5 b#6
    c = (number) -b;  //: c#7 number#1 b#6
    c = (a)(b);  //: c#7 a#5 b#6
    number * q = p;  //: number#1 q#9:local p#8
    c = sizeof(a) + sizeof(number);  //: c#7 a#5 number#1
    missing * m = q;  //: missing:outside m#10:local q#9
    return c + *m + *q + external(a & b, (outside_type)c);  //: c#7 m#10 q#9 external:outside a#5 b#6 outside_type:outside c#7
}
struct opaque { int size; int used; };  //: opaque#11:type size#12:field used#13:field
int opaque_size(Opaque *opaque, struct opaque *known, struct other *other) {  //: opaque_size#14:function Opaque:outside opaque#15:parameter opaque#11 known#16:parameter other:outside other#17:parameter
    return opaque->size + opaque->length + known->size + known->wrong + other->height;  //: opaque#15 size:member opaque#15 length:outside known#16 size#12 known#16 wrong:outside other#17 height:outside
}
int chained(void) { return get_other()->size + make().used; }  //: chained#18:function get_other:outside size:member make:outside used:member
