interface Shape {                                                //: Shape#1:type
    double area();                                               //: area#2:function
    String name();                                               //: String:outside name#3:function
}

record Circle(String name, double radius) implements Shape {     //: Circle#4:type String:outside name#3:function radius#5:field Shape#1
    static int made;                                             //: made#6:field

    Circle {                                                     //: Circle#4
        if (radius < 0) {                                        //: radius#5
            throw new IllegalArgumentException(name);            //: IllegalArgumentException:outside name#3
        }
        radius = Math.abs(radius);                               //: radius#5 Math:outside abs:outside radius#5
        made++;                                                  //: made#6
    }

    Circle(double radius) {                                      //: Circle#4 radius#7:parameter
        this("circle", radius);                                  //: radius#7
    }

    public double area() {                                       //: area#2:function
        return Math.PI * radius * this.radius() * radius();      //: Math:outside PI:outside radius#5 radius#5 radius#5
    }
}

record Pair<A, B>(A first, B second, int... rest) implements Shape { //: Pair#8:type A#9:type B#10:type A#9 first#11:field B#10 second#12:field rest#13:field Shape#1
    Pair(A first, B second, int... rest) {                       //: Pair#8 A#9 first#11:field B#10 second#12:field rest#13:field
        this.first = first;                                      //: first#11 first#11
        this.second = second;                                    //: second#12 second#12
        this.rest = rest;                                        //: rest#13 rest#13
    }

    public A first() {                                           //: A#9 first#11:field
        return first;                                            //: first#11
    }

    public double area() {                                       //: area#2:function
        return rest.length;                                      //: rest#13 length:outside
    }

    public String name() {                                       //: String:outside name#3:function
        return "pair";
    }

    static double sum(Circle one, Shape other) {                 //: sum#14:function Circle#4 one#15:parameter Shape#1 other#16:parameter
        Pair<Circle, Shape> pair = new Pair<>(one, other);       //: Pair#8 Circle#4 Shape#1 pair#17:local Pair#8 one#15 other#16
        return one.area() + other.area() + one.radius() + one.name().length() + pair.rest[0]; //: one#15 area#2 other#16 area#2 one#15 radius#5 one#15 name#3 length:outside pair#17 rest#13
    }
}
