import java.util.*;                                              //: java:outside util:outside

abstract class Animal extends Base {                             //: Animal#1:type Base:outside
    protected int legs;                                          //: legs#2:field
    private int secret;                                          //: secret#3:field

    abstract String sound();                                     //: String:outside sound#4:function

    public void walk(int steps) {                                //: walk#5:function steps#6:parameter
        legs = steps;                                            //: legs#2 steps#6
    }

    static class Food {}                                         //: Food#7:type
}

class Dog extends Animal implements Comparable<Dog> {            //: Dog#8:type Animal#1 Comparable:outside Dog#8
    int legs;                                                    //: legs#9:field

    String sound() {                                             //: String:outside sound#4:function
        return "wau" + super.legs + ((Animal) this).legs + inherited; //: legs#2 Animal#1 legs#2 inherited:outside
    }

    void walk(String where) {                                    //: walk#5:function String:outside where#10:parameter
        super.walk(legs);                                        //: walk#5 legs#9
        walk(2);                                                 //: walk#5
    }

    public int compareTo(Dog other) {                            //: compareTo#11:function Dog#8 other#12:parameter
        Animal friend = other;                                   //: Animal#1 friend#13:local other#12
        Food food = new Food();                                  //: Food#7 food#14:local Food#7
        friend.walk(other.legs);                                 //: friend#13 walk#5 other#12 legs#9
        return friend.sound().compareTo(other.sound());          //: friend#13 sound#4 compareTo:outside other#12 sound#4
    }
}

interface Walker {                                               //: Walker#15:type
    void walk(int steps);                                        //: walk#5:function steps#16:parameter
}

class Zoo {                                                      //: Zoo#17:type
    int secret, legs;                                            //: secret#18:field legs#19:field
    String name;                                                 //: String:outside name#20:field

    void run() {}                                                //: run#21:function

    class Puppy extends Dog implements Walker {                  //: Puppy#22:type Dog#8 Walker#15
        int age() {                                              //: age#23:function
            return secret + legs + age;                          //: secret:unknown legs#9 age#24
        }

        int age;                                                 //: age#24:field
    }

    class Worker extends Thread {                                //: Worker#25:type Thread:outside
        String name() {                                          //: String:outside name#26:function
            start();                                             //: start:outside
            run();                                               //: run:outside
            return name + getName() + State.NEW;                 //: name#20 getName:outside State:outside NEW:member
        }
    }

    enum State { NEW }                                           //: State#27:type NEW#28:field

    class Keeper extends Person {                                //: Keeper#29:type Person:outside
        int number() {                                           //: number#30:function
            run();                                               //: run:unknown
            return legs + State.values().length + helper(name);  //: legs:unknown State#27 values:outside length:outside helper:outside name:unknown
        }

        void feed(Zoo zoo, Keeper keeper) {                      //: feed#31:function Zoo#17 zoo#32:parameter Keeper#29 keeper#33:parameter
            zoo.run();                                           //: zoo#32 run#21
            keeper.run();                                        //: keeper#33 run:unknown
            keeper.feed(null, keeper);                           //: keeper#33 feed:unknown keeper#33
            zoo.new Puppy().age();                               //: zoo#32 Puppy#22 age#23
        }
    }

    class Cache extends HashMap<String, Zoo> {                   //: Cache#34:type HashMap:outside String:outside Zoo#17
        Entry<String, Zoo> first() {                             //: Entry:outside String:outside Zoo#17 first#35:function
            return entrySet().iterator().next();                 //: entrySet:outside iterator:member next:member
        }
    }

    static class Entry<K, V> {}                                  //: Entry#36:type K#37:type V#38:type
    Entry<String, Zoo> entry;                                    //: Entry#36 String:outside Zoo#17 entry#39:field

    class Plan extends Schedule {                                //: Plan#40:type Schedule:outside
        Entry<String, Zoo> one;                                  //: Entry:unknown String:outside Zoo#17 one#41:field
    }
}
