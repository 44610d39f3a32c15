int count = total;                                               //: count#1:local total:outside
int total = count;                                               //: total#2:local count#1
class Local {                                                    //: Local#3:type
    int total = count;                                           //: total#4:field count#1
}
for (int i = 0; i < total; i++) {                                //: i#5:local i#5 total#2 i#5
    count += i;                                                  //: count#1 i#5
}
new Local().total = later;                                       //: Local#3 total#4 later:outside
String later = "";                                               //: String:outside later#6:local
System.out.println(later);                                       //: System:outside out:outside println:outside later#6
