// Old-style parameters, prototypes, function pointers, labels, attributes, assembler, GNU C.
#include <stddef.h>
int old(a, b, c)  //: old#1:function a#2:parameter b#3:parameter c#4:parameter
    int a;  //: a#2:parameter
    char *b;  //: b#3:parameter
{
    return a + *b + c;  //: a#2 b#3 c#4
}
typedef int (*handler)(int code, void *data);  //: handler#5:type code#6:parameter data#7:parameter
static handler handlers[4];  //: handler#5 handlers#8:global
void each(int n, int values[n], int (*apply)(int value, int n));  //: each#9:function n#10:parameter values#11:parameter n#10 apply#12:parameter value#13:parameter n#14:parameter
int (*select_handler(int which))(int code, void *data) {  //: select_handler#15:function which#16:parameter code#17:parameter data#18:parameter
    return handlers[which];  //: handlers#8 which#16
}
void each(int n, int values[n], int (*apply)(int value, int n)) {  //: each#9:function n#19:parameter values#20:parameter n#19 apply#21:parameter value#22:parameter n#23:parameter
    for (int i = 0; i < n; i++) apply(values[i], n);  //: i#24:local i#24 n#19 i#24 apply#21 values#20 i#24 n#19
}
__attribute__((noinline, cleanup(each))) static int quiet(int unused __attribute__((unused))) {  //: noinline:outside cleanup:outside each#9 quiet#25:function unused#26:parameter unused:outside
    return __func__[0];  //: __func__:outside
}
struct item { int key; char name[8]; };  //: item#27:type key#28:field name#29:field
int jump(int n, struct item *item) {  //: jump#30:function n#31:parameter item#27 item#32:parameter
    int result = 0, input = n;  //: result#33:local input#34:local n#31
again:  //: again#35:label
    if (n-- > 0) goto again;  //: n#31 again#35
    else goto done;  //: done#36
    {
        int done = 4;  //: done#37:local
        result = done;  //: result#33 done#37
    }
done:  //: done#36:label
    __asm__("mov %[in], %[out]" : [out] "=r"(result) : [in] "r"(input));  //: out:unknown result#33 in:unknown input#34
    result += ({ int n = 2; n * result; });  //: result#33 n#38:local n#38 result#33
    result += offsetof(struct item, name) + sizeof(struct item) + sizeof(item->key) + _Alignof(struct item);  //: result#33 item#27 name#29 item#27 item#32 key#28 item#27
    result += _Generic(result, int: result, char *: item) + (int)n;  //: result#33 result#33 result#33 item#32 n#31
    return result ? old(result, item->name, n), quiet(n) : select_handler(n)(n, item);  //: result#33 old#1 result#33 item#32 name#29 n#31 quiet#25 n#31 select_handler#15 n#31 n#31 item#32
}

typedef int visit(int depth);  //: visit#39:type depth#40:parameter
static visit visited;  //: visit#39 visited#41:global
int walk(int depth) { return start(visited, depth); }  //: walk#42:function depth#43:parameter start:outside visited#41 depth#43
static int visited(int depth) { return depth; }  //: visited#41:global depth#44:parameter depth#44
