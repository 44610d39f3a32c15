class Names {                                                    //: Names#1:type
    Names next;                                                  //: Names#1 next#2:field
    int label;                                                   //: label#3:field
    static Names names;                                          //: Names#1 names#4:field

    static class next {}                                         //: next#5:type

    static class Inner {                                         //: Inner#6:type
        static int value;                                        //: value#7:field
    }

    int names(int label) {                                       //: names#8:function label#9:parameter
        label:                                                   //: label#10:label
        for (;;) {
            if (label > this.label) break label;                 //: label#9 label#3 label#10
            names(label);                                        //: names#8 label#9
        }
        next.next.label = Names.Inner.value;                     //: next#2 next#2 label#3 Names#1 Inner#6 value#7
        Names.names.next.next = null;                            //: Names#1 names#4 next#2 next#2
        Names.names.names(next.label);                           //: Names#1 names#4 names#8 next#2 label#3
        java.util.Arrays.sort(new int[0]);                       //: java:outside util:outside Arrays:outside sort:outside
        String String = "";                                      //: String:outside String#11:local
        String.length();                                         //: String#11 length:outside
        org.other.Thing.call(label);                             //: org:outside other:member Thing:member call:member label#9
        return Names.this.next.names(unknown.field.deeper);      //: Names#1 next#2 names#8 unknown:outside field:member deeper:member
    }

    <names>                                                      //: names#12:type
    names generic(                                               //: names#12 generic#13:function
            names names) {                                       //: names#12 names#14:parameter
        names result = names;                                    //: names#12 result#15:local names#14
        return result;                                           //: result#15
    }

    Names(Names names) {                                         //: Names#1 Names#1 names#16:parameter
        this.next = names;                                       //: next#2 names#16
        names.next = next;                                       //: names#16 next#2 next#2
    }

    void resolve() {                                             //: resolve#17:function
        Resolver resolver = new Resolver(this);                  //: Resolver#22 resolver#18:local Resolver#22
        resolver.names.label = 3;                                //: resolver#18 names#23 label#3
        resolver.other().names.next = null;                      //: resolver#18 other#25 names#23 next#2
        resolver.many()[0].next.label++;                         //: resolver#18 many#26 next#2 label#3
        resolver.overloaded().label = 1;                         //: resolver#18 overloaded#27 label:member
        Generic<Names> generic = new Generic<>();                //: Generic#29 Names#1 generic#19:local Generic#29
        generic.value.label = 2;                                 //: generic#19 value#31 label:member
        generic.get().label = 2;                                 //: generic#19 get#32 label:member
        (label > 0 ? resolver.names : next).label = 1;           //: label#3 resolver#18 names#23 next#2 label#3
        var inferred = resolver.other();                         //: var:outside inferred#20:local resolver#18 other#25
        inferred.names = null;                                   //: inferred#20 names#23
        new Names(null) {                                        //: Names#1
            int own;                                             //: own#21:field
        }.own = 3;                                               //: own:member
    }
}

class Resolver {                                                 //: Resolver#22:type
    Names names;                                                 //: Names#1 names#23:field

    Resolver(Names names) {                                      //: Resolver#22 Names#1 names#24:parameter
        this.names = names;                                      //: names#23 names#24
    }

    Resolver other() {                                           //: Resolver#22 other#25:function
        return this;
    }

    Names[] many() {                                             //: Names#1 many#26:function
        return null;
    }

    Names overloaded() {                                         //: Names#1 overloaded#27:function
        return null;
    }

    Resolver overloaded(int i) {                                 //: Resolver#22 overloaded#27:function i#28:parameter
        return null;
    }
}

class Generic<T> {                                               //: Generic#29:type T#30:type
    T value;                                                     //: T#30 value#31:field

    T get() {                                                    //: T#30 get#32:function
        return this.value;                                       //: value#31
    }
}
