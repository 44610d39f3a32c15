// What a macro does with the names that it is given: it declares them, takes them for members, or nobody knows.
#include <stddef.h>
#define TYPE_OF(list) __typeof__(list)
//: TYPE_OF#1:macro list#2:parameter
#define OTHER_TYPE(list) typed(list)
//: OTHER_TYPE#3:macro list#4:parameter
#define CHAIN(node, list) for (node_t *node = list; node; node = node->next)
//: CHAIN#5:macro node#6:parameter list#7:parameter
#define COPY(node, list) for (TYPE_OF(list) node = list; node; node = node->next)
//: COPY#8:macro node#9:parameter list#10:parameter
#define GUESS(node, list) for (OTHER_TYPE(list) node = list; node; node = node->next)
//: GUESS#11:macro node#12:parameter list#13:parameter
#define PRINT(index, count) for (int index = 0; index < count; index++) show(index)
//: PRINT#14:macro index#15:parameter count#16:parameter
#define UNTIL(index, count) for (index = 0; index < (count); index++)
//: UNTIL#17:macro index#18:parameter count#19:parameter
#define GET(object, field) ((object)->field)
//: GET#20:macro object#21:parameter field#22:parameter
#define SIZE_OF(kind, field) (offsetof(kind, field) + sizeof(field))
//: SIZE_OF#23:macro kind#24:parameter field#25:parameter
#define OWNER(pointer, field) container_of(pointer, node_t, field)
//: OWNER#26:macro pointer#27:parameter field#28:parameter
#define PRODUCT(a, b) a * b
//: PRODUCT#29:macro a#30:parameter b#31:parameter
typedef struct node { int value; struct node *next; } node_t;  //: node#32:type value#33:field node#32 next#34:field node_t#35:type
void show(int value);  //: show#36:function value#37:parameter
int walk(node_t *first, int value, int next) {  //: walk#38:function node_t#35 first#39:parameter value#40:parameter next#41:parameter
    int total = 0, index;  //: total#42:local index#43:local
    CHAIN(first, first) total += first->value;  //: CHAIN#5 first#44:local first#44 total#42 first#44 value:member
    COPY(item, first) { total += item->value; }  //: COPY#8 item#45:local first#39 total#42 item#45 value:member
    GUESS(first, first) { total += first->value + value; }  //: GUESS#11 first:unknown first:unknown total#42 first:unknown value:member value#40
    total += first->value;  //: total#42 first#39 value#33
    UNTIL(index, value) total += PRODUCT(index, next);  //: UNTIL#17 index#43 value#40 total#42 PRODUCT#29 index#43 next#41
    total += GET(first, next)->value + SIZE_OF(node_t, next);  //: total#42 GET#20 first#39 next:member value:member SIZE_OF#23 node_t#35 next:unknown
    total += OWNER(first, next)->value;  //: total#42 OWNER#26 first#39 next:member value:member
    {
        PRINT(index, total);  //: PRINT#14 index:unknown total#42
        show(index);  //: show#36 index:unknown
    }
    return total + index;  //: total#42 index#43
}
int lists(node_t *first, node_t *entry, int next) {  //: lists#46:function node_t#35 first#47:parameter node_t#35 entry#48:parameter next#49:parameter
    QTAILQ_FOREACH(entry, &first->next, next) { show(entry->value); }  //: QTAILQ_FOREACH:outside entry#48 first#47 next#34 next:member show#36 entry#48 value#33
    QLIST_FOREACH_SAFE(entry, first, next, first) show(next);  //: QLIST_FOREACH_SAFE:outside entry#48 first#47 next:member first#47 show#36 next#49
    QLIST_FOREACH(unseen, first, next) { show(unseen); }  //: QLIST_FOREACH:outside unseen:unknown first#47 next:member show#36 unseen:unknown
    QLIST_REMOVE(entry, next);  //: QLIST_REMOVE:outside entry#48 next:member
    QTAILQ_INSERT_TAIL(first, entry, next);  //: QTAILQ_INSERT_TAIL:outside first#47 entry#48 next:member
    list_for_each_entry(entry, first, next) show(next);  //: list_for_each_entry:outside entry#48 first#47 next:member show#36 next#49
    entry = container_of(first, node_t, next.first[next]);  //: entry#48 container_of:outside first#47 node_t#35 next:member first:member next#49
    entry = DO_UPCAST(node_t, next, entry);  //: entry#48 DO_UPCAST:outside node_t#35 next:member entry#48
    entry = list_entry(first, node_t, next);  //: entry#48 list_entry:outside first#47 node_t#35 next:member
    entry = UNHEARD_OF(first, next);  //: entry#48 UNHEARD_OF:outside first#47 next#49
    return offsetof(node_t, next) + next;  //: node_t#35 next#34 next#49
}
int list_entry_of(int list) {  //: list_entry_of#50:function list#51:parameter
    int (*rb_entry)(int, int, int) = choose(list);  //: rb_entry#52:local choose:outside list#51
    return rb_entry(list, list, list) + _Generic(list, int: list, default: 0);  //: rb_entry#52 list#51 list#51 list#51 list#51 list#51 default:outside
}
