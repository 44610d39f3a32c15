// Namespaces: nested, reopened, inline, without a name, aliases, using.
#include <iostream>
using namespace std;  //: std:outside
namespace geometry {  //: geometry#1:namespace
    int tally = 0;  //: tally#2:global
    struct Point { int x, y; };  //: Point#3:type x#4:field y#5:field
    namespace detail { int helper(Point point) { return point.x + tally; } }  //: detail#6:namespace helper#7:function Point#3 point#8:parameter point#8 x#4 tally#2
    inline namespace v2 { int newest() { return tally; } }  //: v2#9:namespace newest#10:function tally#2
}
namespace geometry {  //: geometry#1:namespace
    int area(const Point &a, const Point &b) { return detail::helper(a) * (b.x - a.x); }  //: area#11:function Point#3 a#12:parameter Point#3 b#13:parameter detail#6 helper#7 a#12 b#13 x#4 a#12 x#4
    enum class Colour { Red, Green };  //: Colour#14:type Red#15:field Green#16:field
    enum Plain { One, Two };  //: Plain#17:type One#18:global Two#19:global
}
namespace outer::inner { int deep = 1; }  //: outer#20:namespace inner#21:namespace deep#22:global
namespace short_name = outer::inner;  //: short_name#23:namespace outer#20 inner#21
namespace { int secret = 4; }  //: secret#24:global
using geometry::Point;  //: geometry#1 Point#3
using Pair = std::pair<int, geometry::Point>;  //: Pair#25:type std:outside pair:outside geometry#1 Point#3
typedef geometry::Point Place;  //: geometry#1 Point#3 Place#26:type
int tally = 7;  //: tally#27:global
int test() {  //: test#28:function
    Point point = { 1, 2 };  //: Point#3 point#29:local
    Place place = point;  //: Place#26 place#30:local point#29
    geometry::tally += tally + ::tally + place.y;  //: geometry#1 tally#2 tally#27 tally#27 place#30 y#5
    geometry::Colour colour = geometry::Colour::Red;  //: geometry#1 Colour#14 colour#31:local geometry#1 Colour#14 Red#15
    int sum = geometry::One + geometry::Plain::Two + (colour == geometry::Colour::Green);  //: sum#32:local geometry#1 One#18 geometry#1 Plain#17 Two#19 colour#31 geometry#1 Colour#14 Green#16
    std::cout << point.x << endl << secret;  //: std:outside cout:outside point#29 x#4 endl:outside secret#24
    {
        using namespace geometry;  //: geometry#1
        sum += newest() + One + area(point, place);  //: sum#32 newest#10 One#18 area#11 point#29 place#30
    }
    area(point, place);  //: area:unknown point#29 place#30
    return sum + short_name::deep + outer::inner::deep + geometry::v2::newest() + std::max(sum, 1);  //: sum#32 short_name#23 deep#22 outer#20 inner#21 deep#22 geometry#1 v2#9 newest#10 std:outside max:outside sum#32
}
// Overloads of an inline namespace and of the one around it are found by one call.
namespace versions {  //: versions#33:namespace
    inline namespace first { int scale(int x) { return x; } }  //: first#34:namespace scale#35:function x#36:parameter x#36
    int scale(double x) { return 3; }  //: scale#35:function x#37:parameter
}
int scaled() { return versions::scale(2) + versions::first::scale(3); }  //: scaled#38:function versions#33 scale#35 versions#33 first#34 scale#35
