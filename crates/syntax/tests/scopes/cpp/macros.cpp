// Loop macros declare their variable, also through other macros; a cast in a macro declares nothing.
#include <iostream>
#define UPTO(i, n) for (int (i) = 0; (i) < int(n); (i)++)
//: UPTO#1:macro i#2:parameter n#3:parameter
#define TIMES(n) UPTO(time, n)
//: TIMES#4:macro n#5:parameter
#define ROWS(i, n) UPTO(i, (n) - 1)
//: ROWS#6:macro i#7:parameter n#8:parameter
#define dump(x) { std::cerr << x; show(x); }
//: dump#9:macro x#10:parameter
using namespace std;  //: std:outside
void show(int value);  //: show#11:function value#12:parameter
int abs(int value) { return value < 0 ? -value : value; }  //: abs#13:function value#14:parameter value#14 value#14 value#14
int main() {  //: main#15:function
    int n = 4, total = 0;  //: n#16:local total#17:local
    UPTO(i, n) {  //: UPTO#1 i#18:local n#16
        ROWS(j, n) total += i * j;  //: ROWS#6 j#19:local n#16 total#17 i#18 j#19
    }
    dump(total);  //: dump#9 total#17
    return abs(total);  //: abs:unknown total#17
}
struct Task {  //: Task#20:type
    int id;  //: id#21:field
#if THREADS > 1
//: THREADS:outside
    ofstream cout;  //: ofstream:outside cout#22:field
    int n;  //: n#23:field
#endif
#if THREADS > 2
//: THREADS:outside
    int total;  //: total#24:field
#else
    long total;  //: total#24:field
#endif
    void write(int m) { cout << n << total; }  //: write#25:function m#26:parameter cout:unknown n#23 total#24
};
int total = 3;  //: total#27:global
int hidden(int n) {  //: hidden#28:function n#29:parameter
    {
#ifdef DEEP
//: DEEP:outside
        int n = 2, total = n;  //: n#30:local total#31:local n#30
#endif
        return n + total;  //: n:unknown total:unknown
    }
}
