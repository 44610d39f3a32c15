import java.io.*;                                                //: java:outside io:outside
import java.util.*;                                              //: java:outside util:outside
import java.util.List;                                           //: java:outside util:outside List#1:import
import com.example.Screen;                                       //: com:outside example:outside Screen#2:import

class Output extends PrintWriter {                               //: Output#3:type PrintWriter:outside
    Output(OutputStream stream) {                                //: Output#3 OutputStream:outside stream#4:parameter
        super(stream);                                           //: stream#4
    }

    void println(int first, int second) {                        //: println#5:function first#6:parameter second#7:parameter
        println(first);                                          //: println:outside first#6
        print(first);                                            //: print:outside first#6
        println(first, second);                                  //: println#5 first#6 second#7
        println();                                               //: println:outside
    }

    void close(int code) {                                       //: close#8:function code#9:parameter
        close();                                                 //: close:outside
        this.close(code);                                        //: close#8 code#9
    }

    void show(List<String> lines, Object value) {                //: show#10:function List#1 String:outside lines#11:parameter Object:outside value#12:parameter
        show(lines, value);                                      //: show#10 lines#11 value#12
        show(lines, lines);                                      //: show:unknown lines#11 lines#11
        lines.forEach(this::println);                            //: lines#11 forEach:outside println:unknown
    }
}

class Describer {                                                //: Describer#13:type
    String toString(boolean isLong) {                            //: String:outside toString#14:function isLong#15:parameter
        return toString() + toString(isLong) + super.toString(); //: toString:outside toString#14 isLong#15 toString:outside
    }

    boolean equals(Describer other) {                            //: equals#16:function Describer#13 other#17:parameter
        return equals(other) || other.equals(this) || hashCode() == other.hashCode(); //: equals#16 other#17 other#17 equals#16 hashCode:outside other#17 hashCode:outside
    }

    Describer wait(Object... times) {                            //: Describer#13 wait#18:function Object:outside times#19:parameter
        Output output = new Output(null);                        //: Output#3 output#20:local Output#3
        output.println(1, 2);                                    //: output#20 println#5
        output.println("text");                                  //: output#20 println:outside
        output.println();                                        //: output#20 println:outside
        return wait("a");                                         //: wait:unknown
    }

    int size() {                                                 //: size#21:function
        return 0;
    }

    boolean add(List<String> list, Set<String> set, Describer other, Screen screen) { //: add#22:function List#1 String:outside list#23:parameter Set:outside String:outside set#24:parameter Describer#13 other#25:parameter Screen#2 screen#26:parameter
        list.add("a");                                           //: list#23 add:outside
        set.size();                                              //: set#24 size:outside
        screen.size();                                           //: screen#26 size:member
        screen.draw();                                           //: screen#26 draw:outside
        return other.add(null, null, null, null);                //: other#25 add#22
    }
}

class Panel extends Screen {                                     //: Panel#27:type Screen#2
    void check(Describer describer) {                            //: check#28:function Describer#13 describer#29:parameter
        describer.size();                                        //: describer#29 size#21
        size();                                                  //: size:unknown
        this.size();                                             //: size:unknown
        this.describer = describer;                              //: describer:outside describer#29
    }
}
