import java.io.Serializable;                                     //: java:outside io:outside Serializable#1:import
import java.util.Iterator;                                       //: java:outside util:outside Iterator#2:import
import com.example.Widget;                                       //: com:outside example:outside Widget#3:import

public class Tree<T extends Comparable<T>> implements Iterable<T>, Serializable { //: Tree#4:type T#5:type Comparable:outside T#5 Iterable:outside T#5 Serializable#1
    Node<T> root;                                                //: Node#14 T#5 root#6:field
    int size = Counter.start;                                    //: size#7:field Counter#9 start#10
    protected static final Tree<String> EMPTY = new Tree<>();    //: Tree#4 String:outside EMPTY#8:field Tree#4

    static class Counter {                                       //: Counter#9:type
        static int start = 1;                                    //: start#10:field
        int size;                                                //: size#11:field

        Counter(int size) {                                      //: Counter#9 size#12:parameter
            this.size = size;                                    //: size#11 size#12
        }

        void reset() {                                           //: reset#13:function
            this.size = start;                                   //: size#11 start#10
            size++;                                              //: size#11
        }
    }

    class Node<T> {                                              //: Node#14:type T#15:type
        T value;                                                 //: T#15 value#16:field
        Node<T> next;                                            //: Node#14 T#15 next#17:field
        Node(T value, Node<T> next) {                            //: Node#14 T#15 value#18:parameter Node#14 T#15 next#19:parameter
            super();
            this.value = value;                                  //: value#16 value#18
            this.next = next;                                    //: next#17 next#19
            Tree.this.size += size;                              //: Tree#4 size#7 size#7
            Tree.super.hashCode();                               //: Tree#4 hashCode:outside
        }

        Node(T value) {                                          //: Node#14 T#15 value#20:parameter
            this(value, null);                                   //: value#20
        }

        @Override                                                //: Override:outside
        public String toString() {                               //: String:outside toString#21:function
            return super.toString() + value.hashCode() + next.next.value; //: toString:outside value#16 hashCode:outside next#17 next#17 value#16
        }
    }

    public Iterator<T> iterator() {                              //: Iterator#2 T#5 iterator#22:function
        return new Iterator<T>() {                               //: Iterator#2 T#5
            private Node<T> current = root;                      //: Node#14 T#5 current#23:field root#6
            int size;                                            //: size#24:field

            @Override                                            //: Override:outside
            public boolean hasNext() {                           //: hasNext#25:function
                return current != null && size < Tree.this.size; //: current#23 size#24 Tree#4 size#7
            }

            public T next() {                                    //: T#5 next#26:function
                T value = current.value;                         //: T#5 value#27:local current#23 value#16
                current = this.current.next;                     //: current#23 current#23 next#17
                size += toString().length();                     //: size#24 toString:outside length:member
                return value;                                    //: value#27
            }
        };
    }

    void add(T item) {                                           //: add#28:function T#5 item#29:parameter
        class Adder extends Counter {                            //: Adder#30:type Counter#9
            Adder(int more) {                                    //: Adder#30 more#31:parameter
                super(more);                                     //: more#31
                size += more;                                    //: size#11 more#31
                reset();                                         //: reset#13
                super.reset();                                   //: reset#13
            }
        }
        Adder adder = new Adder(3);                              //: Adder#30 adder#32:local Adder#30
        adder.size = adder.start;                                //: adder#32 size#11 adder#32 start#10
        root = this.new Node<T>(item, root);                     //: root#6 Node#14 T#5 item#29 root#6
        Tree<T> other = new Tree<T>();                           //: Tree#4 T#5 other#33:local Tree#4 T#5
        other.root.value.compareTo(item);                        //: other#33 root#6 value#16 compareTo:member item#29
        other.root.next.next = null;                             //: other#33 root#6 next#17 next#17
        Counter[] counters = {new Counter(1), new Tree.Counter(2)}; //: Counter#9 counters#34:local Counter#9 Tree#4 Counter#9
        counters[0].size = counters.length;                      //: counters#34 size#11 counters#34 length:outside
        Tree.EMPTY.add("text");                                  //: Tree#4 EMPTY#8 add#28
    }

    void open(int size, Runnable action) {                       //: open#35:function size#36:parameter Runnable:outside action#37:parameter
        new Widget() {                                           //: Widget#3
            void paint() {                                       //: paint#38:function
                size();                                          //: size:unknown
                int width = size + open;                         //: width#39:local size:unknown open#40
                add(null);                                       //: add:unknown
                action.run();                                    //: action:unknown run:member
                local();                                         //: local#41
            }

            int open;                                            //: open#40:field

            void local() {}                                      //: local#41:function
        };
    }

    int size() {                                                 //: size#42:function
        return size;                                             //: size#7
    }

    static {
        Counter.start = 2;                                       //: Counter#9 start#10
    }

    {
        size = 0;                                                //: size#7
    }
}
