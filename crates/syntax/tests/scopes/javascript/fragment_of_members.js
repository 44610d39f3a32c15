size = 0; //: size#1:field
push(value) { //: push#2:function value#3:parameter
  this.items.push(value); //: items:member push:member value#3
  this.size++; //: size#1
  this.extra = value; //: extra:member value#3
  return this.isFull() ? this.#grow(value) : super.push(value); //: isFull#5 #grow:outside value#3 push:member value#3
}
static isFull() { return this.limit; } //: isFull#4:function limit:member
isFull() { return Stack.isFull(); } //: isFull#5:function Stack:outside isFull:member
