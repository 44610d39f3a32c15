// Templates: parameters of types, values and templates; definitions outside; specialisations; packs.
#include <vector>
template <typename T, int N = 4>  //: T#1:type N#2:parameter
struct Stack {  //: Stack#3:type
    T items[N];  //: T#1 items#4:field N#2
    int top = 0;  //: top#5:field
    void push(const T &item) { items[top++] = item; }  //: push#6:function T#1 item#7:parameter items#4 top#5 item#7
    T pop();  //: T#1 pop#8:function
    template <class U> U as(U fallback) const { return top ? U(items[0]) : fallback; }  //: U#9:type U#9 as#10:function U#9 fallback#11:parameter top#5 U#9 items#4 fallback#11
};
template <typename T, int N>  //: T#12:type N#13:parameter
T Stack<T, N>::pop() { T last = items[--top]; return top < N ? last : T(); }  //: T#12 Stack#3 T#12 N#13 pop#8:function T#12 last#14:local items#4 top#5 top#5 N#13 last#14 T#12
template <>
struct Stack<bool, 8> {  //: Stack#3:type
    int top;  //: top#5:field
    unsigned bits;  //: bits#15:field
};
template <class T>  //: T#16:type
struct Safe : Stack<T> {  //: Safe#17:type Stack#3 T#16
    typename T::value_type first(T value) { return this->top ? value.front() : value.back(); }  //: T#16 value_type:member first#18:function T#16 value#19:parameter top#5 value#19 front:member value#19 back:member
};
template <template <class> class Box, class... Parts>  //: Box#20:type Parts#21:type
int total(Box<int> box, Parts... parts) {  //: total#22:function Box#20 box#23:parameter Parts#21 parts#24:parameter
    return sizeof...(Parts) + (parts + ... + box.size());  //: Parts#21 parts#24 box#23 size:member
}
template <typename T>  //: T#25:type
T largest(T left, T right) { return left < right ? right : left; }  //: T#25 largest#26:function T#25 left#27:parameter T#25 right#28:parameter left#27 right#28 right#28 left#27
template <typename T> using List = std::vector<T>;  //: T#29:type List#30:type std:outside vector:outside T#29
template <typename T> concept Small = sizeof(T) < 8;  //: T#31:type Small#32:type T#31
int main() {  //: main#33:function
    Stack<int> stack;  //: Stack#3 stack#34:local
    stack.push(3);  //: stack#34 push#6
    Stack<double, 2> *other = new Stack<double, 2>();  //: Stack#3 other#35:local Stack#3
    List<int> list;  //: List#30 list#36:local
    list.push_back(largest<int>(stack.pop(), other->top));  //: list#36 push_back:outside largest#26 stack#34 pop#8 other#35 top#5
    auto value = stack.as<long>(2L);  //: value#37:local stack#34 as#10
    return largest(value, 1L) + list[0];  //: largest#26 value#37 list#36
}
