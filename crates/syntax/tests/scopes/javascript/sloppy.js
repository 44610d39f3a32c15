// CommonJS is plain code.
const fs = require('fs'); //: fs#1:global require:outside
const { join } = require('path'); //: join#2:global require:outside
exports.read = function (file) { return fs.readFileSync(join(file)); }; //: exports:outside read:member file#3:parameter fs#1 readFileSync:outside join#2 file#3
module.exports = { join, fs }; //: module:outside exports:member join#2 fs#1

// A name that is assigned and never declared is a global.
function count() { //: count#4:function
  calls = (typeof calls === 'undefined' ? 0 : calls) + 1; //: calls#5:global calls#5 calls#5
  [pairs, { deep: depth }] = []; //: pairs#6:global deep:member depth#7:global
  for (step of []) console.log(step); //: step#8:global console:outside log:outside step#8
  untouched += 1; //: untouched:outside
  notAssigned++; //: notAssigned:outside
  function strict() { //: strict#9:function
    'use strict';
    lost = calls; //: lost:outside calls#5
  }
  exports = null; //: exports:outside
  return lost; //: lost:outside
}
count(calls, depth); //: count#4 calls#5 depth#7

// What `with` could hide is unknown; what is declared inside is not.
function dynamic(scope, other) { //: dynamic#10:function scope#11:parameter other#12:parameter
  with (scope) { //: scope#11
    let inside = other; //: inside#13:local other:unknown
    console.log(inside, scope.size); //: console:unknown log:member inside#13 scope:unknown size:member
    (function (own) { return own + other; })(); //: own#14:parameter own#14 other:unknown
  }
  return other; //: other#12
}
function evaluated(code) { //: evaluated#15:function code#16:parameter
  eval(code); //: eval:outside code#16
  const helper = (local) => local + count + code; //: helper#17:local local#18:parameter local#18 count:unknown code#16
  return helper; //: helper#17
}
function strictly(code) { //: strictly#19:function code#20:parameter
  'use strict';
  eval(code); //: eval:outside code#20
  return count; //: count#4
}

// Each function but an arrow has its own `arguments`.
var arguments = 1; //: arguments#21:global
function spread() { //: spread#22:function
  const inner = () => arguments.length; //: inner#23:local arguments:outside length:member
  return arguments[0] + inner(); //: arguments:outside inner#23
}
function own(arguments) { return () => arguments; } //: own#24:function arguments#25:parameter arguments#25
function local() { var arguments = 2; return arguments; } //: local#26:function arguments#27:local arguments#27
arguments; //: arguments#21

// Functions as constructors.
function Point(x, y) { //: Point#28:function x#29:parameter y#30:parameter
  this.x = x; //: x:member x#29
  if (!new.target) return new Point(x, y); //: Point#28 x#29 y#30
}
Point.prototype.move = function (dx) { this.x += dx; }; //: Point#28 prototype:member move:member dx#31:parameter x:member dx#31
const point = new Point(1, 2); //: point#32:global Point#28
point.move(3); //: point#32 move:member
(function (undefined) { return undefined; })();
window.count = globalThis.count; //: window:outside count:member globalThis:outside count:member
delete point.x, void point?.y?.(point?.[count]); //: point#32 x:member point#32 y:member point#32 count#4
label: function labelled() { return labelled; } //: label#33:label labelled#34:function labelled#34
var get = 1, set = get, of = set, async = of; //: get#35:global set#36:global get#35 of#37:global set#36 async#38:global of#37
async(of); //: async#38 of#37
debugger;
