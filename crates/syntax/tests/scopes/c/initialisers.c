// Designated initialisers resolve through the type that is initialised.
struct inner { int x; int y; };  //: inner#1:type x#2:field y#3:field
struct outer {  //: outer#4:type
    int x;  //: x#5:field
    struct inner in;  //: inner#1 in#6:field
    struct inner many[4];  //: inner#1 many#7:field
    int (*call)(int x);  //: call#8:field x#9:parameter
};
static int one(int x) { return x; }  //: one#10:function x#11:parameter x#11
struct outer first = { .x = 1, .in = { .x = 2, .y = 3 }, .call = one };  //: outer#4 first#12:global x#5 in#6 x#2 y#3 call#8 one#10
struct outer second = { .in.y = 4, .many[1].x = 5, .many = { [2] = { .y = 6 }, { .x = 7 } } };  //: outer#4 second#13:global in#6 y#3 many#7 x#2 many#7 y#3 x#2
struct inner table[] = { { .x = 1 }, [1] = { .y = 2 }, [2].x = 3 };  //: inner#1 table#14:global x#2 y#3 x#2
struct inner grid[2][2] = { { { .x = 1 } }, [1][0] = { .y = 2 } };  //: inner#1 grid#15:global x#2 y#3
struct outer turn = { 1, { .y = 2 }, { { .x = 3 } } };  //: outer#4 turn#16:global y#3 x#2
struct outer old = { x: 1, in: { y: 2 } };  //: outer#4 old#17:global x#5 in#6 y#3
int area(struct inner size) { return size.x * size.y; }  //: area#18:function inner#1 size#19:parameter size#19 x#2 size#19 y#3
int test(void) {  //: test#20:function
    struct outer *made = &(struct outer){ .x = 8, .in = { .x = 9 } };  //: outer#4 made#21:local outer#4 x#5 in#6 x#2
    int y = area((struct inner){ .x = made->x, .y = made->in.y });  //: y#22:local area#18 inner#1 x#2 made#21 x#5 y#3 made#21 in#6 y#3
    made->many[0] = (struct inner){ .y = y };  //: made#21 many#7 inner#1 y#3 y#22
    return made->call(table[0].x) + grid[1][1].y + made->many->y;  //: made#21 call#8 table#14 x#2 grid#15 y#3 made#21 many#7 y#3
}
