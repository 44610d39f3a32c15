import java.util.*;                                              //: java:outside util:outside
import java.util.function.Function;                              //: java:outside util:outside function:outside Function#1:import
import static java.lang.Math.max;                                //: java:outside lang:outside Math:outside max#2:import
import static java.lang.Math.*;                                  //: java:outside lang:outside Math:outside

class Pipeline {                                                 //: Pipeline#3:type
    static int limit = 10;                                       //: limit#4:field
    int size;                                                    //: size#5:field

    Runnable prepare(List<String> names, int size) {             //: Runnable:outside prepare#6:function List:outside String:outside names#7:parameter size#8:parameter
        Function<String, Integer> length = name -> name.length() + size; //: Function#1 String:outside Integer:outside length#9:local name#10:parameter name#10 length:member size#8
        Comparator<String> order = (left, right) -> left.compareTo(right) * limit; //: Comparator:outside String:outside order#11:local left#12:parameter right#13:parameter left#12 compareTo:member right#13 limit#4
        Runnable task = () -> {                                  //: Runnable:outside task#14:local
            int limit = max(size, this.size);                    //: limit#15:local max#2 size#8 size#5
            names.forEach(each -> System.out.println(each + limit)); //: names#7 forEach:outside each#16:parameter System:outside out:outside println:outside each#16 limit#15
            for (String name : names) {                          //: String:outside name#17:local names#7
                length.apply(name);                              //: length#9 apply:outside name#17
            }
        };
        names.sort((String a, final String b) -> order.compare(b, a)); //: names#7 sort:outside String:outside a#18:parameter String:outside b#19:parameter order#11 compare:outside b#19 a#18
        names.forEach(this::accept);                             //: names#7 forEach:outside accept#21
        names.forEach(Pipeline::log);                            //: names#7 forEach:outside Pipeline#3 log#23
        names.stream().map(String::trim).map(Pipeline::new).toArray(Pipeline[]::new); //: names#7 stream:outside map:member String:outside trim:outside map:member Pipeline#3 toArray:member Pipeline#3
        return task;                                             //: task#14
    }

    Pipeline(String text) {                                      //: Pipeline#3 String:outside text#20:parameter
        this.size = text.length();                               //: size#5 text#20 length:outside
    }

    void accept(String text) {                                   //: accept#21:function String:outside text#22:parameter
        log(text);                                               //: log#23 text#22
    }

    static void log(Object value) {                              //: log#23:function Object:outside value#24:parameter
        System.err.println(value.hashCode() + abs(limit));       //: System:outside err:outside println:outside value#24 hashCode:outside abs:outside limit#4
    }
}
