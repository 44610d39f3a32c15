const items = [1, 2, 3]; //: items#1:global
let item = 'outer'; //: item#2:global
for (const item of items) { //: item#3:local items#1
  console.log(item); //: console:outside log:outside item#3
  {
    let item = 'inner'; //: item#4:local
    item += '!'; //: item#4
  }
}
console.log(item); //: console:outside log:outside item#2

// The whole block means the inner binding, before its declaration, too.
{
  const early = () => late; //: early#5:local late#6
  let late = 1; //: late#6:local
  class Shape {} //: Shape#7:type
  new Shape(early); //: Shape#7 early#5
}
late; //: late:outside

for (let i = 0, size = items.length; i < size; i++) { //: i#8:local size#9:local items#1 length:outside i#8 size#9 i#8
  let i = 'body'; //: i#10:local
  setTimeout(() => console.log(i, size)); //: setTimeout:outside console:outside log:outside i#10 size#9
}
for (var j = 0; j < 2; j++) items.push(j); //: j#11:global j#11 j#11 items#1 push:outside j#11
for (j in items) item = j; //: j#11 items#1 item#2 j#11
for (let key in items) { items[key] = key; } //: key#12:local items#1 items#1 key#12 key#12
for (const tail of tail) {} //: tail#13:local tail#13
do { var once = 1; } while (once < 1); //: once#14:global once#14
while (once) { let once = 0; break; } //: once#14 once#15:local

switch (item) { //: item#2
  case items: { //: items#1
    let item = 1; //: item#16:local
    break;
  }
  case once: //: once#14
    let choice = 1; //: choice#17:local
  default:
    choice = 2; //: choice#17
}

outer: for (const row of items) { //: outer#18:label row#19:local items#1
  inner: for (const cell of row) { //: inner#20:label cell#21:local row#19
    if (cell === row) continue outer; //: cell#21 row#19 outer#18
    if (cell) break inner; //: cell#21 inner#20
  }
}
outer: while (true) { //: outer#22:label
  const nested = function () { //: nested#23:local
    outer: { break outer; } //: outer#24:label outer#24
  };
  break outer; //: outer#22
}

function lexical(first) { //: lexical#25:function first#26:parameter
  let second = first; //: second#27:local first#26
  if (second) { //: second#27
    const first = second; //: first#28:local second#27
    return first; //: first#28
  }
  return first; //: first#26
}

try {
  lexical(); //: lexical#25
} catch ({ message, cause: { code = message } = {} }) { //: message#29:parameter cause:member code#30:parameter message#29
  console.log(message, code); //: console:outside log:outside message#29 code#30
}
