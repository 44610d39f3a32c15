// Classes: members are seen in the whole body, and in definitions outside of it.
class Base {  //: Base#1:type
public:
    Base(int size) : size(size), used{0} { grow(size); }  //: Base#1 size#2:parameter size#3 size#2 used#4 grow#5 size#2
    virtual ~Base() {}  //: Base#1
    virtual int area() const { return size * scale + hidden_below; }  //: area#6:function size#3 scale#7 hidden_below#8
    void grow(int by);  //: grow#5:function by#9:parameter
    static int scale;  //: scale#7:field
    enum Mode { FAST, SLOW = FAST + 1 };  //: Mode#10:type FAST#11:field SLOW#12:field FAST#11
    Mode mode = SLOW;  //: Mode#10 mode#13:field SLOW#12
    struct Part { int weight; Part *next; };  //: Part#14:type weight#15:field Part#14 next#16:field
protected:
    int size, used;  //: size#3:field used#4:field
    Part *parts = nullptr;  //: Part#14 parts#17:field
    int hidden_below = 1;  //: hidden_below#8:field
};
int Base::scale = 2;  //: Base#1 scale#7:field
void Base::grow(int by) {  //: Base#1 grow#5:function by#18:parameter
    size += by + this->size + used;  //: size#3 by#18 size#3 used#4
    for (Part *part = parts; part; part = part->next) used += part->weight;  //: Part#14 part#19:local parts#17 part#19 part#19 part#19 next#16 used#4 part#19 weight#15
    mode = FAST;  //: mode#13 FAST#11
}
class Derived : public Base {  //: Derived#20:type Base#1
    int used;  //: used#21:field
    friend class Stranger;  //: Stranger:outside
    friend int reveal(const Derived &derived);  //: reveal#22:function Derived#20 derived#23:parameter
public:
    explicit Derived(int used) : Base(used), used(used) {}  //: Derived#20 used#24:parameter Base#1 used#24 used#21 used#24
    Derived(const Derived &other) = default;  //: Derived#20 Derived#20 other#25:parameter
    ~Derived();  //: Derived#20
    int area() const override { return Base::area() + used + Base::used + size; }  //: area#6:function Base#1 area#6 used#21 Base#1 used#4 size#3
    Derived &operator+=(const Derived &other) { used += other.used; return *this; }  //: Derived#20 Derived#20 other#26:parameter used#21 other#26 used#21
    bool operator<(const Derived &other) const { return size < other.size; }  //: Derived#20 other#27:parameter size#3 other#27 size#3
    operator int() const { return used; }  //: used#21
    int twice(int value) { return value * 2; }  //: twice#28:function value#29:parameter value#29
    double twice(double value);  //: twice#28:function value#30:parameter
};
Derived::~Derived() { grow(twice(1)); }  //: Derived#20 Derived#20 grow#5 twice#28
double Derived::twice(double value) { return value + used; }  //: Derived#20 twice#28:function value#31:parameter value#31 used#21
int reveal(const Derived &derived) { return derived.used; }  //: reveal#22:function Derived#20 derived#32:parameter derived#32 used#21
int size = 5;  //: size#33:global
struct Elsewhere : Unknown {  //: Elsewhere#34:type Unknown:outside
    int own;  //: own#35:field
    int get() { return own + size + missing; }  //: get#36:function own#35 size:unknown missing:outside
};
int Absent::method(int parameter) { return parameter + size + field; }  //: Absent:outside method:outside parameter#37:parameter parameter#37 size:unknown field:outside
int main() {  //: main#38:function
    Derived first(3), *second = new Derived(4);  //: Derived#20 first#39:local second#40:local Derived#20
    Base *base = second;  //: Base#1 base#41:local second#40
    Base::Mode mode = Base::FAST;  //: Base#1 Mode#10 mode#42:local Base#1 FAST#11
    Base::Part part = { 1, nullptr };  //: Base#1 Part#14 part#43:local
    first += *second;  //: first#39 second#40
    base->grow(part.weight + second->area());  //: base#41 grow#5 part#43 weight#15 second#40 area#6
    delete second;  //: second#40
    return first.twice(Base::scale) + reveal(first) + (mode == Base::SLOW);  //: first#39 twice#28 Base#1 scale#7 reveal#22 first#39 mode#42 Base#1 SLOW#12
}
