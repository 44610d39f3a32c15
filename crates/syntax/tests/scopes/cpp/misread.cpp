// What the grammar takes for expressions although it declares, and the other way round.
#include <cstdlib>
typedef int number;  //: number#1:type
struct Outer { class Inner; int value; };  //: Outer#2:type Inner#3:type value#4:field
class Outer::Inner { public: int depth; };  //: Outer#2 Inner#3:type depth#5:field
int main() {  //: main#6:function
    char(*rows)[81];  //: rows#7:local
    rows = (char(*)[81])malloc(81);  //: rows#7 malloc:outside
    number(plain) = 3;  //: number#1 plain#8:local
    int a = 2, b = 3, *p = &a;  //: a#9:local b#10:local p#11:local a#9
    a * b;  //: a#9 b#10
    a & b;  //: a#9 b#10
    number * q = p;  //: number#1 q#12:local p#11
    Outer::Inner inner;  //: Outer#2 Inner#3 inner#13:local
    Outer outer;  //: Outer#2 outer#14:local
    int Outer::*member = &Outer::value;  //: Outer#2 member#15:local Outer#2 value#4
    outer.*member = inner.depth + *q;  //: outer#14 member#15 inner#13 depth#5 q#12
    return rows[0][0] + plain + outer.value;  //: rows#7 plain#8 outer#14 value#4
}
int pointers(int rows) {  //: pointers#16:function rows#17:parameter
    int (*row)[3], total = rows, *place = &total, cells[2];  //: row#18:local total#19:local rows#17 place#20:local total#19 cells#21:local
    row = table(rows);  //: row#18 table:outside rows#17
    cells[0] = *place + total;  //: cells#21 place#20 total#19
    return row[0][1] + cells[0];  //: row#18 cells#21
}
