// Loop macros whose type is made by another macro, or that bind several names at once.
#include <map>
#include <vector>
#define iter(c) __typeof((c).begin())
//: iter#1:macro c#2:parameter
#define tr(i, c) for (iter(c) i = (c).begin(); i != (c).end(); i++)
//: tr#3:macro i#4:parameter c#5:parameter
#define unsure(i, c) for (ITER(c) i = (c).begin(); i != (c).end(); i++)
//: unsure#6:macro i#7:parameter c#8:parameter
#define each(key, value, c) for (auto &[key, value] : c)
//: each#9:macro key#10:parameter value#11:parameter c#12:parameter
#define nodes(p, list) for (Node *p = list; p->next && p > list; p = p->next)
//: nodes#13:macro p#14:parameter list#15:parameter
#define steps(it, c) for (std::vector<int>::iterator it = (c).begin(); it < (c).end(); ++it)
//: steps#16:macro it#17:parameter c#18:parameter
struct Node { Node *next; int value; };  //: Node#19:type Node#19 next#20:field value#21:field
int count(std::vector<int> &list, std::map<int, int> &table, Node *first, int i) {  //: count#22:function std:outside vector:outside list#23:parameter std:outside map:outside table#24:parameter Node#19 first#25:parameter i#26:parameter
    int total = 0;  //: total#27:local
    tr(i, list) { total += *i; }  //: tr#3 i#28:local list#23 total#27 i#28
    tr(i, list) total += *i;  //: tr#3 i#29:local list#23 total#27 i#29
    unsure(i, list) { total += *i; }  //: unsure#6 i:unknown list#23 total#27 i:unknown
    total += i;  //: total#27 i#26
    each(key, i, table) { total += key + i; }  //: each#9 key#30:local i#31:local table#24 total#27 key#30 i#31
    nodes(i, first) { total += i->value; }  //: nodes#13 i#32:local first#25 total#27 i#32 value:member
    steps(i, list) total += *i;  //: steps#16 i#33:local list#23 total#27 i#33
    BOOST_FOREACH(unseen, list) { total += unseen; }  //: BOOST_FOREACH:outside unseen:unknown list#23 total#27 unseen:unknown
    REVERSED(other, list) { total += other; }  //: REVERSED:outside other:unknown list#23 total#27 other:unknown
    Q_FOREACH(i, list) { total += i; }  //: Q_FOREACH:outside i#26 list#23 total#27 i#26
    REVERSED(i, list) { total += i; }  //: REVERSED:outside i:unknown list#23 total#27 i:unknown
    return total + i;  //: total#27 i#26
}
