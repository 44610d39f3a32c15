import java.lang.annotation.*;                                   //: java:outside lang:outside annotation:outside

@Retention(RetentionPolicy.RUNTIME)                              //: Retention:outside RetentionPolicy:outside RUNTIME:member
@interface Test {                                                //: Test#1:type
    String DEFAULT = "none";                                     //: String:outside DEFAULT#2:field
    String name() default DEFAULT;                               //: String:outside name#3:function DEFAULT#2
    int[] sizes() default {1, Limits.MAX};                       //: sizes#4:function Limits#6 MAX#7
    Class<?> type() default Object.class;                        //: Class:outside type#5:function Object:outside
}

class Limits {                                                   //: Limits#6:type
    static final int MAX = 3;                                    //: MAX#7:field
    static final String NAME = "limits";                         //: String:outside NAME#8:field

    @Test(name = NAME, sizes = {MAX, 2}, type = Limits.class)    //: Test#1 name#3 NAME#8 sizes#4 MAX#7 type#5 Limits#6
    @SuppressWarnings("unchecked")                               //: SuppressWarnings:outside
    void check(@Test(name = Test.DEFAULT) int NAME) {            //: check#9:function Test#1 name#3 Test#1 DEFAULT#2 NAME#10:parameter
        @Deprecated(since = "1") int MAX = NAME;                 //: Deprecated:outside since:outside MAX#11:local NAME#10
        int other = MAX;                                         //: other#12:local MAX#11
    }

    @java.lang.Deprecated                                        //: java:outside lang:outside Deprecated:outside
    <T extends Limits & Runnable, U> U convert(T limits, Class<? extends U> type, java.util.List<? super T> sink) { //: T#13:type Limits#6 Runnable:outside U#14:type U#14 convert#15:function T#13 limits#16:parameter Class:outside U#14 type#17:parameter java:outside util:outside List:outside T#13 sink#18:parameter
        limits.check(1);                                         //: limits#16 check:member
        U result = type.cast(limits);                            //: U#14 result#19:local type#17 cast:outside limits#16
        return result;                                           //: result#19
    }
}
