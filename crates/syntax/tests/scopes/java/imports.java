package org.example;                                             //: org:outside example:outside

import static org.example.Tools.LIMIT;                           //: org:outside example:outside Tools#2 LIMIT#3
import static org.example.Tools.Unit.*;                          //: org:outside example:outside Tools#2 Unit#4
import org.example.Tools.Unit;                                   //: org:outside example:outside Tools#2 Unit#4
import org.example.elsewhere.Other;                              //: org:outside example:outside elsewhere:outside Other#1:import

class Tools {                                                    //: Tools#2:type
    static final int LIMIT = 3;                                  //: LIMIT#3:field

    static class Unit {                                          //: Unit#4:type
        static int scale = 2;                                    //: scale#5:field

        static int scaled(int value) {                           //: scaled#6:function value#7:parameter
            return value * scale;                                //: value#7 scale#5
        }
    }
}

class User {                                                     //: User#8:type
    Unit unit;                                                   //: Unit#4 unit#9:field
    Other other;                                                 //: Other#1 other#10:field

    int use() {                                                  //: use#11:function
        return scaled(LIMIT) + scale + other.scale + unit.scale; //: scaled#6 LIMIT#3 scale#5 other#10 scale:member unit#9 scale#5
    }
}
