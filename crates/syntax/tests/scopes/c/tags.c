// Tags, members, typedefs, enumerators: four name spaces that do not see each other.
struct node;  //: node#1:type
typedef struct node node;  //: node#1 node#2:type
struct node {  //: node#1:type
    int node;  //: node#3:field
    struct node *next;  //: node#1 next#4:field
    node *previous;  //: node#2 previous#5:field
};
typedef struct { double x, y; } point;  //: x#6:field y#7:field point#8:type
typedef struct pair { point first; struct { int low; int high; } range; } pair, *pair_pointer;  //: pair#9:type point#8 first#10:field low#11:field high#12:field range#13:field pair#14:type pair_pointer#15:type
enum colour { RED, GREEN = RED + 1, BLUE };  //: colour#16:type RED#17:global GREEN#18:global RED#17 BLUE#19:global
union value {  //: value#20:type
    int number;  //: number#21:field
    struct { char low, high; };  //: low#22:field high#23:field
    struct { int deep; } inner;  //: deep#24:field inner#25:field
};
struct absent *outside_pointer;  //: absent:outside outside_pointer#26:global
int sum(struct node *node, enum colour colour, pair_pointer pairs) {  //: sum#27:function node#1 node#28:parameter colour#16 colour#29:parameter pair_pointer#15 pairs#30:parameter
    int total = node->node + node->next->next->node + node->previous->node;  //: total#31:local node#28 node#3 node#28 next#4 next#4 node#3 node#28 previous#5 node#3
    union value value;  //: value#20 value#32:local
    value.number = colour == GREEN;  //: value#32 number#21 colour#29 GREEN#18
    value.low = value.high = RED;  //: value#32 low#22 value#32 high#23 RED#17
    value.inner.deep = 2;  //: value#32 inner#25 deep#24
    total += pairs->first.x + pairs->range.low + (*pairs).range.high;  //: total#31 pairs#30 first#10 x#6 pairs#30 range#13 low#11 pairs#30 range#13 high#12
    total += outside_pointer->size;  //: total#31 outside_pointer#26 size:outside
    enum local { ONE = 1, TWO } choice = TWO;  //: local#33:type ONE#34:local TWO#35:local choice#36:local TWO#35
    struct node { long value; } hidden;  //: node#37:type value#38:field hidden#39:local
    hidden.value = ONE + choice;  //: hidden#39 value#38 ONE#34 choice#36
    struct node *again = &hidden;  //: node#37 again#40:local hidden#39
    return total + again->value;  //: total#31 again#40 value#38
}
static struct { int level; } options, *chosen = &options;  //: level#41:field options#42:global chosen#43:global options#42
int level(node nodes[], unsigned int index) {  //: level#44:function node#2 nodes#45:parameter index#46:parameter
    struct { int index : 4; unsigned int flag : 1; } bits;  //: index#47:field flag#48:field bits#49:local
    bits.index = index;  //: bits#49 index#47 index#46
    bits.flag = nodes[index].next[1].node;  //: bits#49 flag#48 nodes#45 index#46 next#4 node#3
    return options.level + chosen->level + (&nodes[0])->node + bits.flag;  //: options#42 level#41 chosen#43 level#41 nodes#45 node#3 bits#49 flag#48
}
