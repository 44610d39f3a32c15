// File, function, block, for and prototype scopes, and where a name starts to be seen.
#include <stdio.h>
int count = 3;  //: count#1:global
static int twice(int count);  //: twice#2:function count#3:parameter
int later(void);  //: later#4:function
int size = sizeof(size);  //: size#5:global size#5
static int twice(int count) {  //: twice#2:function count#6:parameter
    return count + count;  //: count#6 count#6
}
int main(int argc, char **argv) {  //: main#7:function argc#8:parameter argv#9:parameter
    int x = 1;  //: x#10:local
    int total = 0;  //: total#11:local
    {
        int x = x;  //: x#12:local x#12
        total += x;  //: total#11 x#12
        int count = count + 1, *pointer = &count;  //: count#13:local count#13 pointer#14:local count#13
        total += *pointer;  //: total#11 pointer#14
    }
    for (int x = 0; x < argc; x++) {  //: x#15:local x#15 argc#8 x#15
        int argc = x;  //: argc#16:local x#15
        total += argc + x;  //: total#11 argc#16 x#15
    }
    for (x = 0; x < 3; ++x) total -= later();  //: x#10 x#10 x#10 total#11 later#4
    int values[x], length = sizeof values / sizeof(values[0]);  //: values#17:local x#10 length#18:local values#17 values#17
    if (total > count) {  //: total#11 count#1
        extern int count;  //: count#1:global
        int later(void);  //: later#4:function
        total = count + later();  //: total#11 count#1 later#4
    }
    printf("%d %s %d\n", total + twice(x), argv[0], length);  //: printf:outside total#11 twice#2 x#10 argv#9 length#18
    return undeclared(total);  //: undeclared:outside total#11
}
int later(void) { extern int hidden; return hidden + size; }  //: later#4:function hidden#19:global hidden#19 size#5
int hidden = 7;  //: hidden#19:global
int use_of_hidden(void) { return hidden; }  //: use_of_hidden#20:function hidden#19
