class Patterns {                                                 //: Patterns#1:type
    Object s = "field";                                          //: Object:outside s#2:field
    record Point(int x, int y) {}                                //: Point#3:type x#4:field y#5:field
    record Line(Point from, Point to) {}                         //: Line#6:type Point#3 from#7:field Point#3 to#8:field

    String early(Object o) {                                     //: String:outside early#9:function Object:outside o#10:parameter
        if (!(o instanceof String s)) {                          //: o#10 String:outside s#11:local
            return s.toString();                                 //: s#2 toString:outside
        }
        return s.trim();                                         //: s#11 trim:outside
    }

    int twice(Object o) {                                        //: twice#12:function Object:outside o#13:parameter
        if (o instanceof Integer n && n > 0) {                   //: o#13 Integer:outside n#14:local n#14
            return n;                                            //: n#14
        }
        if (o instanceof String n) {                             //: o#13 String:outside n#15:local
            return n.length();                                   //: n#15 length:outside
        } else {
            s = o;                                               //: s#2 o#13
        }
        return o instanceof Point p ? p.x : p();                 //: o#13 Point#3 p#16:local p#16 x#4 p#17
    }

    int p() {                                                    //: p#17:function
        return 1;
    }

    boolean either(Object o, Object q) {                         //: either#18:function Object:outside o#19:parameter Object:outside q#20:parameter
        boolean isText = !(o instanceof String s) || s.isEmpty(); //: isText#21:local o#19 String:outside s#22:local s#22 isEmpty:outside
        while (!(q instanceof Patterns other)) {                 //: q#20 Patterns#1 other#23:local
            q = next(q);                                         //: q#20 next#25 q#20
        }
        other.s = s;                                             //: other#23 s#2 s#2
        return isText && !(o instanceof String s && s.isEmpty()) && s != null; //: isText#21 o#19 String:outside s#24:local s#24 isEmpty:outside s#2
    }

    Object next(Object o) {                                      //: Object:outside next#25:function Object:outside o#26:parameter
        for (; !(o instanceof Point s); ) {                      //: o#26 Point#3 s#27:local
            if (s == o) {                                        //: s#2 o#26
                break;
            }
        }
        return s;                                                //: s#2
    }

    int destructure(Object o) {                                  //: destructure#28:function Object:outside o#29:parameter
        if (o instanceof Line(Point(int x, var y), Point to) && x > y) { //: o#29 Line#6 Point#3 x#30:local var:outside y#31:local Point#3 to#32:local x#30 y#31
            return to.y + x;                                     //: to#32 y#5 x#30
        }
        do {
            o = next(o);                                         //: o#29 next#25 o#29
        } while (!(o instanceof Point last));                    //: o#29 Point#3 last#33:local
        return switch (o) {                                      //: o#29
            case Point point when point.x > 0 -> point.y;        //: Point#3 point#34:local point#34 x#4 point#34 y#5
            case Line(Point a, Point b) -> a.x + b.y;            //: Line#6 Point#3 a#35:local Point#3 b#36:local a#35 x#4 b#36 y#5
            case String s -> s.length();                         //: String:outside s#37:local s#37 length:outside
            default -> last.x + s.hashCode();                    //: last#33 x#4 s#2 hashCode:outside
        };
    }

    boolean field = s instanceof String text && text.isEmpty();  //: field#38:field s#2 String:outside text#39:local text#39 isEmpty:outside
    String text = "outer";                                       //: String:outside text#40:field
}
