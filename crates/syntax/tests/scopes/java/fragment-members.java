private int total = 0;                                           //: total#1:field

public int add(int value) {                                      //: add#2:function value#3:parameter
    total += value;                                              //: total#1 value#3
    this.total = absent + this.missing;                          //: total#1 absent:outside missing:outside
    List<Item> items = find(value);                              //: List:outside Item:outside items#4:local find:outside value#3
    for (Item item : items) {                                    //: Item:outside item#5:local items#4
        item.add(value);                                         //: item#5 add:member value#3
        add(item.price, other);                                  //: add:outside item#5 price:outside other:outside
    }
    Runnable task = new Runnable() {                             //: Runnable:outside task#6:local Runnable:outside
        public void run() {                                      //: run#7:function
            total++;                                             //: total#1
            add(value);                                          //: add#2 value#3
            add(add(value));                                     //: add#2 add#2 value#3
        }
    };
    return total;                                                //: total#1
}

public Counter(int total) {                                      //: Counter:outside total#8:parameter
    super(total);                                                //: total#8
    this.total = total;                                          //: total#1 total#8
}
