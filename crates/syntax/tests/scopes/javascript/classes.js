class Account { //: Account#1:type
  #balance = 0; //: #balance#2:field
  owner = 'nobody'; //: owner#3:field
  static count = 0; //: count#4:field
  static #registry = new Map(); //: #registry#5:field Map:outside

  constructor(owner, balance = 0) { //: constructor:outside owner#6:parameter balance#7:parameter
    this.owner = owner; //: owner#3 owner#6
    this.#balance = balance; //: #balance#2 balance#7
    this.history = []; //: history#8:field
    Account.count++; //: Account#1 count#4
    Account.#registry.set(owner, this); //: Account#1 #registry#5 set:member owner#6
    this.log = (entry) => { //: log#9:field entry#10:parameter
      this.history.push(entry); //: history#8 push:member entry#10
      this.last = entry; //: last#11:field entry#10
    };
  }

  get balance() { return this.#balance; } //: balance#12:field #balance#2
  set balance(amount) { this.#balance = amount; } //: balance#12:field amount#13:parameter #balance#2 amount#13

  deposit(amount) { //: deposit#14:function amount#15:parameter
    this.balance += amount; //: balance#12 amount#15
    this.#check(); //: #check#17
    this.missing(); //: missing:member
    const self = this; //: self#16:local
    [1].forEach(function () { //: forEach:outside
      this.owner = 1; //: owner:member
      self.owner = 2; //: self#16 owner#3
    });
    return { owner: this.owner, report() { return this.owner; } }; //: owner:member owner#3 report:member owner:member
  }

  #check() { return #balance in this && this.history?.length; } //: #check#17:function #balance#2 history#8 length:member

  static open(owner) { //: open#18:function owner#19:parameter
    this.count += 1; //: count#4
    this.opened = owner; //: opened#20:field owner#19
    return new this(owner); //: owner#19
  }

  static {
    var count = this.count; //: count#21:local count#4
    this.latest = count; //: latest#22:field count#21
  }

  ['computed' + Account.name]() { return Account; } //: Account#1 name:member Account#1
  'quoted'() {}
}

class Savings extends Account { //: Savings#23:type Account#1
  rate = 0.1; //: rate#24:field
  constructor(owner) { //: constructor:outside owner#25:parameter
    super(owner); //: owner#25
    this.bonus = 0; //: bonus#26:field
    this.history = [owner]; //: history#8 owner#25
  }
  deposit(amount) { //: deposit#14:function amount#27:parameter
    super.deposit(amount + this.rate); //: deposit#14 amount#27 rate#24
    super.toString(); //: toString:member
    return this.bonus; //: bonus#26
  }
  static open(owner) { return super.open(owner); } //: open#18:function owner#28:parameter open#18 owner#28
}

const account = new Account('me'); //: account#29:global Account#1
account.deposit(1); //: account#29 deposit#14
account.history.length; //: account#29 history#8 length:member
account.other; //: account#29 other:member
Account.open('you').deposit(2); //: Account#1 open#18 deposit:member
Account.latest; //: Account#1 latest#22
let savings = new Savings('them'); //: savings#30:global Savings#23
savings.deposit(3); //: savings#30 deposit:member
savings.log(savings.owner); //: savings#30 log:member savings#30 owner:member
savings = null; //: savings#30
var plain = (new Savings()); //: plain#31:global Savings#23
plain.rate; //: plain#31 rate#24

// A class expression's own name is seen only inside it.
const Tree = class Node { //: Tree#32:global Node#33:type
  children = []; //: children#34:field
  add(label) { this.children.push(new Node(label)); return this; } //: add#35:function label#36:parameter children#34 push:member Node#33 label#36
};
new Tree().add('x').children; //: Tree#32 add#35 children:member
const forest = new Tree(); //: forest#37:global Tree#32
forest.children; //: forest#37 children#34
const Leaf = class { size() { return this.width; } width = 1; }; //: Leaf#38:global size#39:function width#40 width#40:field
new Leaf().size(); //: Leaf#38 size#39
(class { only() { return this.only; } }); //: only#41:function only#41
Node; //: Node:outside

// What is inherited from outside may be anything.
class View extends Component { //: View#42:type Component:outside
  state = {}; //: state#43:field
  render() { //: render#44:function
    this.props; //: props:member
    this.cache = this.state; //: cache:member state#43
    return super.render(this.cache); //: render:member cache:member
  }
}
class Mixed extends mixin(Account) { //: Mixed#45:type mixin:outside Account#1
  deposit() { return this.owner; } //: deposit#46:function owner:member
}
class Outer { //: Outer#47:type
  #secret = 1; //: #secret#48:field
  make() { //: make#49:function
    return class Inner { //: Inner#50:type
      #own = 2; //: #own#51:field
      read(outer) { return outer.#secret + this.#own; } //: read#52:function outer#53:parameter outer#53 #secret#48 #own#51
    };
  }
}
