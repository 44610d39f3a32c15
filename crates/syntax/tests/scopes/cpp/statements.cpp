// Lambdas, references, loops over ranges, initialisers in conditions, bindings, exceptions, overloads.
#include <string>
#include <map>
#include <memory>
struct Item { int key; std::string name; Item *link; };  //: Item#1:type key#2:field std:outside string:outside name#3:field Item#1 link#4:field
struct Maker { Item make(int key); Item *find(); };  //: Maker#5:type Item#1 make#6:function key#7:parameter Item#1 find#8:function
int find(int key);  //: find#9:function key#10:parameter
int find(const std::string &name, int start = 0);  //: find#9:function std:outside string:outside name#11:parameter start#12:parameter
int work(std::map<int, Item> &items, int limit) {  //: work#13:function std:outside map:outside Item#1 items#14:parameter limit#15:parameter
    int total = 0, x = 1;  //: total#16:local x#17:local
    auto add = [&total, x](int value) { total += value + x; return value; };  //: add#18:local total#16 x#17 value#19:parameter total#16 value#19 x#17 value#19
    auto next = [count = x, limit]() mutable { return count++ < limit; };  //: next#20:local count#21:local x#17 limit#15 count#21 limit#15
    auto all = [&](auto item) { return item.key + total + limit; };  //: all#22:local item#23:parameter item#23 key:member total#16 limit#15
    for (auto &[key, item] : items) total += key + item.key;  //: key#24:local item#25:local items#14 total#16 key#24 item#25 key:member
    Item list[3], item = list[0];  //: Item#1 list#26:local item#27:local list#26
    for (const Item &item : list) total += item.key + item.link->key;  //: Item#1 item#28:local list#26 total#16 item#28 key#2 item#28 link#4 key#2
    for (auto x : list) total += x.key;  //: x#29:local list#26 total#16 x#29 key#2
    if (int found = find(total); found > limit) return found;  //: found#30:local find#9 total#16 found#30 limit#15 found#30
    else total = found;  //: total#16 found#30
    while (auto current = item.link) item = *current;  //: current#31:local item#27 link#4 item#27 current#31
    switch (int x = find(item.name); x) { case 1: return x; default: break; }  //: x#32:local find#9 item#27 name#3 x#32 x#32
    try {
        total += add(all(item));  //: total#16 add#18 all#22 item#27
    } catch (const std::exception &error) {  //: std:outside exception:outside error#33:parameter
        throw std::string(error.what());  //: std:outside string:outside error#33 what:outside
    } catch (...) {
        if (next()) goto end;  //: next#20 end#34
    }
    {
        int &alias = total;  //: alias#35:local total#16
        decltype(alias) again = alias;  //: alias#35 again#36:local alias#35
        auto [first, second] = std::make_pair(again, x);  //: first#37:local second#38:local std:outside make_pair:outside again#36 x#17
        auto copy = item;  //: copy#39:local item#27
        copy.key = first + second;  //: copy#39 key#2 first#37 second#38
    }
end:  //: end#34:label
    std::string text(item.name), other(limit, 'x');  //: std:outside string:outside text#40:local item#27 name#3 other#41:local limit#15
    Item made(item);  //: Item#1 made#42:local item#27
    Maker maker;  //: Maker#5 maker#43:local
    std::unique_ptr<Item> owned;  //: std:outside unique_ptr:outside Item#1 owned#44:local
    total += maker.make(1).key + maker.find()->key + owned->key + text.size();  //: total#16 maker#43 make#6 key#2 maker#43 find#8 key#2 owned#44 key:member text#40 size:outside
    return static_cast<int>(total) + made.key + int(x) + find("", x) + other.length();  //: static_cast:outside total#16 made#42 key#2 x#17 find#9 x#17 other#41 length:outside
}
