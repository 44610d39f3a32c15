const source = { a: 1, b: { c: [2, 3] }, 'd-e': 4 }; //: source#1:global a:member b:member c:member
const { a, b: { c: [head, ...tail] }, ['d' + '-e']: dash = a, ...others } = source; //: a#2:global b:member c:member head#3:global tail#4:global dash#5:global a#2 others#6:global source#1
let [first = a, , [second] = [dash]] = tail; //: first#7:global a#2 second#8:global dash#5 tail#4

function area({ width, height = width, unit: { name } = {} }, [depth, ...rest], ...more) { //: area#9:function width#10:parameter height#11:parameter width#10 unit:member name#12:parameter depth#13:parameter rest#14:parameter more#15:parameter
  return { width, height, name, depth, rest, more, area: width * height }; //: width#10 height#11 name#12 depth#13 rest#14 more#15 area:member width#10 height#11
}

// Assignments to what exists.
[first, second] = [second, first]; //: first#7 second#8 second#8 first#7
({ a: first, b: source.b, c: source['c'], second = head, ...others.rest } = source); //: a:member first#7 b:member source#1 b:member c:member source#1 second#8 head#3 others#6 rest:member source#1
[source.a, ...source.b.c] = tail; //: source#1 a:member source#1 b:member c:member tail#4
[first = dash, [second]] = tail; //: first#7 dash#5 second#8 tail#4
(first) = 2; //: first#7

for (const { width, height: tall } of [area]) console.log(width, tall); //: width#16:local height:member tall#17:local area#9 console:outside log:outside width#16 tall#17
for ([first, second] of Object.entries(source)) console.log(first); //: first#7 second#8 Object:outside entries:outside source#1 console:outside log:outside first#7
for ({ first = second } of []) ; //: first#7 second#8

const swap = ([left, right]) => [right, left]; //: swap#18:global left#19:parameter right#20:parameter right#20 left#19
const pick = ({ key, ...remaining }, fallback = key) => remaining ?? fallback; //: pick#21:global key#22:parameter remaining#23:parameter fallback#24:parameter key#22 remaining#23 fallback#24
const single = async value => ({ value, [value]: swap(value), pick }); //: single#25:global value#26:parameter value#26 value#26 swap#18 value#26 pick#21
const { [single.name]: computed } = { single }; //: single#25 name:member computed#27:global single#25
var { length } = 'abc', { length: again } = [length]; //: length#28:global length:member again#29:global length#28

const object = { //: object#30:global
  a, //: a#2
  first: second, //: first:member second#8
  area() { return this.first; }, //: area:member first:member
  get size() { return length; }, //: size:member length#28
  set size(length) { this.first = length; }, //: size:member length#31:parameter first:member length#31
  async *walk() { yield* this.walk(); }, //: walk:member walk:member
  [computed]: again, //: computed#27 again#29
  'quoted': head, //: head#3
  ...others, //: others#6
};
object.area(); //: object#30 area:member
console.log(`${object.size} of ${`${length}`}`, String.raw`${dash}`); //: console:outside log:outside object#30 size:member length#28 String:outside raw:outside dash#5
