// `var` belongs to the function, whatever block it stands in.
function sumOfPositive(values) { //: sumOfPositive#1:function values#2:parameter
  total = 0; //: total#4
  for (var index = 0; index < values.length; index++) { //: index#3:local index#3 values#2 length:member index#3
    if (values[index] > 0) { //: values#2 index#3
      var total = total + values[index]; //: total#4:local total#4 values#2 index#3
    }
  }
  return [total, index]; //: total#4 index#3
}

// The defaults see the parameters, not the variables of the body.
var limit = 10; //: limit#5:global
function clamp(value, low = limit, high = () => limit + low) { //: clamp#6:function value#7:parameter low#8:parameter limit#5 high#9:parameter limit#5 low#8
  var limit = 3; //: limit#10:local
  var value = value || limit; //: value#7 value#7 limit#10
  return Math.min(Math.max(value, low), high()); //: Math:outside min:outside Math:outside max:outside value#7 low#8 high#9
}

function caught() { //: caught#11:function
  try {
    return risky(); //: risky:outside
  } catch (problem) { //: problem#12:parameter
    var problem = String(problem); //: problem#12 String:outside problem#12
    var message = problem; //: message#13:local problem#12
    console.log(message); //: console:outside log:outside message#13
  }
  return problem + message; //: problem#12 message#13
}

function caughtTwice(error) { //: caughtTwice#14:function error#15:parameter
  try {
    error(); //: error#15
  } catch (error) { //: error#15:parameter
    let reason = error; //: reason#16:local error#15
    for (var error in reason) { //: error#15 reason#16
      console.log(error); //: console:outside log:outside error#15
    }
  }
  try { error(); } catch { return error; } finally { error = null; } //: error#15 error#15 error#15
}

// A function in a block is a variable of the function, too.
function choose(flag) { //: choose#17:function flag#18:parameter
  if (flag) { //: flag#18
    function pick() { return 1; } //: pick#19:function
  } else {
    function pick() { return 2; } //: pick#19:function
  }
  return pick(); //: pick#19
}

// But not where a parameter or a lexical name is in the way.
function chooseNot(pick) { //: chooseNot#20:function pick#21:parameter
  {
    function pick() { return 3; } //: pick#22:function
    pick(); //: pick#22
  }
  return pick; //: pick#21
}
function chooseNever() { //: chooseNever#23:function
  let pick = 4; //: pick#24:local
  {
    function pick() { return 5; } //: pick#25:function
    pick(); //: pick#25
  }
  return pick; //: pick#24
}
function chooseStrictly() { //: chooseStrictly#26:function
  'use strict';
  {
    function helper() { return 6; } //: helper#27:function
    helper(); //: helper#27
  }
  return helper(); //: helper:outside
}
function chooseLater() { //: chooseLater#28:function
  {
    async function later() { await later; } //: later#29:function later#29
    function* counter() { yield counter; } //: counter#30:function counter#30
  }
  return [later, counter]; //: later:outside counter:outside
}

// Functions are hoisted; the last of one name wins, and all are one symbol.
start(); //: start#31
function start() { return 1; } //: start#31:function
function start() { return 2; } //: start#31:function
var start; //: start#31
var handler = function again(count) { //: handler#32:global again#33:function count#34:parameter
  return count > 0 ? again(count - 1) : handler; //: count#34 again#33 count#34 handler#32
};
var shadowed = function inner() { //: shadowed#35:global inner#36:function
  var inner = 1; //: inner#37:local
  return inner; //: inner#37
};
switch (limit) { //: limit#5
  case 1:
    function inSwitch() {} //: inSwitch#38:function
}
inSwitch(); //: inSwitch#38
