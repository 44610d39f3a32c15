// Macros of the input hide everything else from their definition on.
#define LIMIT 100
//: LIMIT#1:macro
#define SQUARE(x) ((x) * (x))
//: SQUARE#2:macro x#3:parameter
#define SWAP(type, a, b) do { type t_ = a; a = b; b = t_; } while (0)
//: SWAP#4:macro type#5:parameter a#6:parameter b#7:parameter
#define SHOW(value) printf(#value " = %d\n", value)
//: SHOW#8:macro value#9:parameter
#define FIELD(name) field_##name
//: FIELD#10:macro name#11:parameter
#define TRACE(format, ...) fprintf(stderr, format, ##__VA_ARGS__)
//: TRACE#12:macro format#13:parameter
#define EACH(index, count) for (int index = 0; index < count; index++)
//: EACH#14:macro index#15:parameter count#16:parameter
#define integer long long
//: integer#17:macro
#ifndef GUARD
//: GUARD#18
#define GUARD 1
//: GUARD#18:macro
#endif
#ifdef WINDOWS
//: WINDOWS:outside
#define SLEEP(ms) Sleep(ms)
//: SLEEP#19:macro ms#20:parameter
#endif
#if defined(DEBUG) && LIMIT > 10
//: DEBUG:outside LIMIT#1
#define LOG(text) puts(text)
//: LOG#21:macro text#22:parameter
#else
#define LOG(text) (void)0
//: LOG#21:macro text#23:parameter
#endif
int before = LIMIT + NOT_HERE + GUARD;  //: before#24:global LIMIT#1 NOT_HERE:outside GUARD#18
int run(int x, int y) {  //: run#25:function x#26:parameter y#27:parameter
    integer value = SQUARE(x + y);  //: integer#17 value#28:local SQUARE#2 x#26 y#27
    int SQUARE = 2;  //: SQUARE#29:local
    SWAP(int, x, y);  //: SWAP#4 x#26 y#27
    SHOW(value);  //: SHOW#8 value:unknown
    int FIELD(one) = LIMIT;  //: FIELD#10 one:unknown LIMIT#1
    TRACE("%d", x);  //: TRACE#12 x#26
    LOG("running");  //: LOG#21
    SLEEP(y);  //: SLEEP:unknown y#27
    EACH(i, x) {  //: EACH#14 i#30:local x#26
        y += i;  //: y#27 i#30
    }
    EACH(i, y) x += i + SQUARE;  //: EACH#14 i#31:local y#27 x#26 i#31 SQUARE#29
    return x + SQUARE(SQUARE(y));  //: x#26 SQUARE#2 SQUARE#2 y#27
}
#undef LIMIT
int LIMIT(void) { return run(1, before); }  //: LIMIT#32:function run#25 before#24
