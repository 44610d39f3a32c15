import static com.example.Kinds.unseen;                          //: com:outside example:outside Kinds:outside unseen#1:import

import java.util.EnumMap;                                        //: java:outside util:outside EnumMap#2:import

interface Priced {                                               //: Priced#3:type
    int FREE = 0;                                                //: FREE#4:field

    int price();                                                 //: price#5:function

    default int doubled() {                                      //: doubled#6:function
        return 2 * price() + FREE;                               //: price#5 FREE#4
    }

    static Priced of(Color color) {                              //: Priced#3 of#7:function Color#9 color#8:parameter
        return color;                                            //: color#8
    }
}

enum Color implements Priced {                                   //: Color#9:type Priced#3
    RED(1) {                                                     //: RED#10:field
        @Override                                                //: Override:outside
        public int price() {                                     //: price#5:function
            return base + super.price() + bonus();               //: base#14 price#5 bonus#16
        }
    },
    GREEN(2),                                                    //: GREEN#11:field
    @Deprecated BLUE(Color.SHIFT);                               //: Deprecated:outside BLUE#12:field Color#9 SHIFT#13

    static final int SHIFT = 4;                                  //: SHIFT#13:field
    final int base;                                              //: base#14:field

    Color(int base) {                                            //: Color#9 base#15:parameter
        this.base = base;                                        //: base#14 base#15
    }

    public int price() {                                         //: price#5:function
        return base + ordinal();                                 //: base#14 ordinal:outside
    }

    int bonus() {                                                //: bonus#16:function
        return Priced.super.doubled() + values().length;         //: Priced#3 doubled#6 values:outside length:member
    }

    Color next() {                                               //: Color#9 next#17:function
        switch (this) {
            case RED:                                            //: RED#10
                return GREEN;                                    //: GREEN#11
            case GREEN:                                          //: GREEN#11
                Color last = BLUE;                               //: Color#9 last#18:local BLUE#12
                return last;                                     //: last#18
            default:
                return valueOf("RED");                           //: valueOf:outside
        }
    }
}

class Painter {                                                  //: Painter#19:type
    static final int ONE = 1, TWO = 2;                           //: ONE#20:field TWO#21:field
    enum Mode { FAST, SLOW }                                     //: Mode#22:type FAST#23:field SLOW#24:field
    Mode mode = Mode.FAST;                                       //: Mode#22 mode#25:field Mode#22 FAST#23
    EnumMap<Color, Integer> uses;                                //: EnumMap#2 Color#9 Integer:outside uses#26:field

    int paint(Color color, int kind, Mode RED) {                 //: paint#27:function Color#9 color#28:parameter kind#29:parameter Mode#22 RED#30:parameter
        int result = switch (color) {                            //: result#31:local color#28
            case RED, GREEN -> color.base;                       //: RED#10 GREEN#11 color#28 base#14
            case BLUE -> {                                       //: BLUE#12
                int kept = kind;                                 //: kept#32:local kind#29
                yield kept + Color.RED.price();                  //: kept#32 Color#9 RED#10 price#5
            }
        };
        switch (kind + 1) {                                      //: kind#29
            case ONE:                                            //: ONE#20
                int shared = kind;                               //: shared#33:local kind#29
                break;
            case TWO:                                            //: TWO#21
                shared = 5;                                      //: shared#33
                result += shared;                                //: result#31 shared#33
        }
        switch (unseen()) {                                      //: unseen#1
            case ONE: return 1;                                  //: ONE:unknown
            case PURPLE: return 2;                               //: PURPLE:member
        }
        switch (unseen()) {                                      //: unseen#1
            case ONE: return 1;                                  //: ONE#20
            case 7: return 2;
        }
        switch (mode.toString()) {                               //: mode#25 toString:outside
            case "FAST" -> result++;                             //: result#31
            default -> throw new IllegalStateException(Mode.SLOW.name()); //: IllegalStateException:outside Mode#22 SLOW#24 name:outside
        }
        return result + Color.valueOf("BLUE").base;              //: result#31 Color#9 valueOf:outside base#14
    }
}
