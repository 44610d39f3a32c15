package org.example.stock;                                       //: org:outside example:outside stock:outside

class Shop {                                                     //: Shop#1:type
    private int count = start();                                 //: count#2:field start#4
    static int total;                                            //: total#3:field

    int start() {                                                //: start#4:function
        return later + 1;                                        //: later#5
    }

    int later = 3;                                               //: later#5:field

    void sell(int amount) {                                      //: sell#6:function amount#7:parameter
        count = count - amount;                                  //: count#2 count#2 amount#7
        int count = this.count;                                  //: count#8:local count#2
        count++;                                                 //: count#8
        {
            int later = count;                                   //: later#9:local count#8
            total += later;                                      //: total#3 later#9
        }
        for (int later = 0; later < amount; later++) {           //: later#10:local later#10 amount#7 later#10
            count += later;                                      //: count#8 later#10
        }
        total = later + count;                                   //: total#3 later#5 count#8
        int amountLeft = count, doubled = amountLeft * 2;        //: amountLeft#11:local count#8 doubled#12:local amountLeft#11
        while (doubled > 0) {                                    //: doubled#12
            int step = doubled / 2;                              //: step#13:local doubled#12
            doubled = step;                                      //: doubled#12 step#13
        }
        for (int step : steps(doubled)) {                        //: step#14:local steps#15 doubled#12
            Shop.total -= step;                                  //: Shop#1 total#3 step#14
        }
    }

    int[] steps(int... sizes) {                                  //: steps#15:function sizes#16:parameter
        int steps = sizes.length;                                //: steps#17:local sizes#16 length:outside
        return new int[] {steps, sizes[0], count};               //: steps#17 sizes#16 count#2
    }

    void sell() {                                                //: sell#6:function
        sell(total);                                             //: sell#6 total#3
        this.sell(this.start());                                 //: sell#6 start#4
        steps(1, 2)[0] = 4;                                      //: steps#15
    }
}
