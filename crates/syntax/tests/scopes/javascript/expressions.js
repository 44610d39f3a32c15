// Names in expressions of every shape.
const base = 2, power = base ** base; //: base#1:global power#2:global base#1 base#1
let sum = (base, power), flags = ~base & power | +sum, pattern = /base/g; //: sum#3:global base#1 power#2 flags#4:global base#1 power#2 sum#3 pattern#5:global
sum ??= base && power || !flags; //: sum#3 base#1 power#2 flags#4
const text = typeof sum + `${base}${`${power}`}`; //: text#6:global sum#3 base#1 power#2
const chosen = base in flags ? text : base instanceof Array ? [...text] : { ...flags }; //: chosen#7:global base#1 flags#4 text#6 base#1 Array:outside text#6 flags#4
const call = (callee, ...given) => callee?.(...given)?.[base]?.name; //: call#8:global callee#9:parameter given#10:parameter callee#9 given#10 base#1 name:member
call(call, sum++, --sum, -sum); //: call#8 call#8 sum#3 sum#3 sum#3
const tag = (strings, ...values) => strings.raw[0] + values; //: tag#11:global strings#12:parameter values#13:parameter strings#12 raw:member values#13
tag`one ${sum} two ${(() => { const sum = 3; return sum; })()}`; //: tag#11 sum#3 sum#14:local sum#14
const lazy = function* () { const got = yield base; yield* lazy(got); }; //: lazy#15:global got#16:local base#1 lazy#15 got#16
const promise = (async () => { await promise; throw new Error(text); })(); //: promise#17:global promise#17 Error:outside text#6
new (class { constructor() { this.chosen = chosen; } })(); //: constructor:outside chosen#18:field chosen#7
new Map([[pattern, new Date]]).get(pattern); //: Map:outside pattern#5 Date:outside get:member pattern#5
if (sum) sum = 1; else if (power) sum = 2; else { const sum = 3; } //: sum#3 sum#3 power#2 sum#3 sum#19:local
var a = 1, b = a, { c = b } = {}; a = b = c; //: a#20:global b#21:global a#20 c#22:global b#21 a#20 b#21 c#22
(function () { return this; }).call(null, arguments); //: call:member arguments:outside
(() => arguments)(); //: arguments:outside
void function named(named) { return named; }; //: named#23:function named#24:parameter named#24
let f = (a, b = a, { c = b, d: [e = c] } = {}) => { var g = a; { let a = g; return a + e; } }; //: f#25:global a#26:parameter b#27:parameter a#26 c#28:parameter b#27 d:member e#29:parameter c#28 g#30:local a#26 a#31:local g#30 a#31 e#29
f.count = f.length; //: f#25 count:member f#25 length:member
undefined, NaN, Infinity, globalThis; //: NaN:outside Infinity:outside globalThis:outside
