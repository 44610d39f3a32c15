-- Exercises the language and the libraries of Lua 5.4. The output depends on nothing but the interpreter: there are no
-- addresses, no clock and no order of tables in it, so that two interpreters can be compared byte for byte.

local function section(name) print("== " .. name) end

-- Prints values with their types, floats in hexadecimal, and tables of the array kind in full.
local function show(...)
  local out = {}
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if math.type(value) == "float" then
      out[i] = string.format("%a", value)
    elseif type(value) == "string" then
      out[i] = string.format("%q", value)
    elseif type(value) == "table" then
      local parts = {}
      for k = 1, #value do parts[k] = tostring(value[k]) end
      out[i] = "{" .. table.concat(parts, " ") .. "}"
    elseif type(value) == "function" or type(value) == "thread" or type(value) == "userdata" then
      out[i] = type(value)
    else
      out[i] = tostring(value)
    end
  end
  print(table.concat(out, "  "))
end

-- The message of an error, without addresses.
local function failure(f, ...)
  local ok, message = pcall(f, ...)
  if ok then return "no error" end
  return (tostring(message):gsub("0x%x+", "ADDRESS"))
end

-- The message that compiling a text gives, or what the text returns.
local function evaluate(text)
  local chunk, message = load(text, "=text")
  if not chunk then return message end
  local _, value = pcall(chunk)
  return (tostring(value):gsub("0x%x+", "ADDRESS"))
end

local function checksum(text)
  local a, b = 1, 0
  for i = 1, #text do
    a = (a + text:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return string.format("%d %08x", #text, b << 16 | a)
end

section "integers"
do
  local values = { 0, 1, -1, 2, 3, 7, -7, 63, 64, 65, 255, math.maxinteger, math.mininteger, math.maxinteger - 1 }
  for _, a in ipairs(values) do
    for _, b in ipairs(values) do
      local line = { a + b, a - b, a * b, a & b, a | b, a ~ b, a << b, a >> b, a < b, a <= b, a == b }
      if b ~= 0 then
        line[#line + 1] = a // b
        line[#line + 1] = a % b
      end
      for i = 1, #line do line[i] = tostring(line[i]) end
      print(a, b, checksum(table.concat(line, " ")))
    end
    show(-a, ~a, a / 4, a ^ 2, math.ult(a, 5), math.abs(a), tostring(a), a // 3, a % 10, a // -3, a % -10)
  end
  show(failure(function() return 1 // 0 end), failure(function() return 1 % 0 end))
  show(1e15 | 0, 2^53 | 0, failure(function() return 1.5 | 0 end), failure(function() return 2^64 | 0 end))
  show("10" + 5, "0x10" * 2, "3" // 2, "7.5" % 2, " 12 " + 0, failure(function() return "abc" + 1 end), failure(function() return "10" | 1 end))
end

section "floats"
do
  local values = { 0.0, -0.0, 1.0, -1.5, 0.1, 1e308, -1e308, 5e-324, 2^53, 1 / 0, -1 / 0, 3.999, 1e15, 123456.789 }
  for _, a in ipairs(values) do
    for _, b in ipairs(values) do
      local line = { a + b, a - b, a * b, a / b, a // b, a % b, a < b, a <= b, a == b }
      for i = 1, #line do
        local value = line[i]
        if value ~= value then value = "nan" end
        line[i] = math.type(value) == "float" and string.format("%a", value) or tostring(value)
      end
      print(checksum(table.concat(line, " ")))
    end
    show(a, -a, tostring(a), math.floor(a) == a, math.tointeger(a), string.format("%.14g|%10.3f|%e|%g", a, a, a, a))
  end
  show(1 < 1.5, 1 == 1.0, math.maxinteger + 0.0 == math.maxinteger, math.maxinteger < math.maxinteger + 0.0)
  show(math.mininteger <= -2^63, 2^63 > math.maxinteger, math.maxinteger // 1.0, -7 // 2.0, -7 % 2.5, 7 % -2.5)
  local nan = 0 / 0
  show(nan == nan, nan < 1, nan > 1, nan ~= nan, failure(function() local t = {}; t[nan] = 1 end))
  for i = 1, 3, 0.5 do io.write(i, " ") end
  for i = 3, 1, -1 do io.write(i, " ") end
  for i = math.maxinteger - 2, math.maxinteger do io.write(i, " ") end
  for i = math.mininteger + 1, math.mininteger, -1 do io.write(i, " ") end
  for i = 1, 0 do io.write("never") end
  print(failure(function() for i = 1, 10, 0 do end end), failure(function() for i = "a", 2 do end end))
end

section "lexer and parser"
for _, text in ipairs {
  "return 0x7fffffffffffffff", "return 0xffffffffffffffff", "return 9223372036854775808", "return 0x.8p1", "return 0xA.8p0",
  "return 3e-2", "return 1..2", "return 0x", "return 1e", "return 'a\\z   b\\x41\\65\\u{48}\\u{7FFFFFFF}'", "return 'abc",
  "return '\\q'", "return '\\300'", "return '\\u{110000000}'", "return [[\nline]]", "return [==[ ]] ]=] ]==]", "return [=[ open",
  "goto done; do return 1 end ::done:: return 2", "goto nowhere", "::a:: ::a::", "break", "local x <const> = 1; x = 2",
  "local x <close> = 4", "local x <unknown> = 1", "return ...", "return (function(...) return select('#', ...) end)(nil, nil)",
  "x = = 1", "for i = 1 do end", "if x then", "return return", "local function f() end end", "return 1 2", "f(", "a.b:c = 1",
  "return #'abc' .. 1", "return 2^3^2", "return -2^2", "return not nil == true", "return 1 .. 2 == '12'", "return 'a' < 'b'",
  "return 1 << 2 + 1", "return 5 & 3 | 8 ~ 1", "return ({10, 20, 30, n = 1})[2]", "return {f = 1}.f", "return (('x'):rep(3))",
  "return --[[ inside ]] 1 -- behind", "return --[==[ long\n ]] ]==] 2", "#!", "return 1;;", "local a, b, c = (function() return 1, 2 end)() return c",
  "local t = {} t.x, t.y = 1, 2, 3 return t.x + t.y", "local a = {1, 2, 3, [2] = 9} return a[2]", "return function() end == nil",
  "local a <const> = 10; local b <const> = a * 2; return b", "repeat local done = true until done return 'repeat'",
  "while true do if true then break end end return 'while'", "return math.huge // 1", "return -0.0", "return 1 // 0.0",
} do
  print(text:gsub("\n", "\\n"), evaluate(text))
end
print(evaluate("return " .. ("("):rep(150) .. "1" .. (")"):rep(150)))
print(evaluate("return " .. ("("):rep(300) .. "1" .. (")"):rep(300)))
print(evaluate("local a" .. (", a"):rep(250)))
print((evaluate("return " .. ("{"):rep(250))))
do
  local parts = {}
  for i = 1, 400 do parts[i] = "x" .. i .. " = " .. i + 0.5 end
  local chunk = load("return {" .. table.concat(parts, ", ") .. "}")
  local t, sum = chunk(), 0
  for _, value in pairs(t) do sum = sum + value end
  show(sum)
  parts = {}
  for i = 1, 70000 do parts[i] = tostring(i) end
  t = load("return {" .. table.concat(parts, ",") .. "}")()
  show(#t, t[1], t[70000])
  for i = 1, 300 do parts[i] = "'c" .. i .. "'" end
  show(#load("return " .. table.concat(parts, " .. ", 1, 150))())
end

section "functions and closures"
do
  local function counter()
    local n = 0
    return function(step) n = n + (step or 1); return n end, function() return n end
  end
  local up, get = counter()
  up() up(5)
  show(get(), (counter()()))
  local closures = {}
  for i = 1, 5 do
    local j = i * i
    closures[i] = function() j = j + i; return j end
  end
  for i = 1, 5 do closures[i]() end
  show(closures[1](), closures[5]())
  local function tail(n, sum) if n == 0 then return sum end return tail(n - 1, sum + n) end
  show(tail(200000, 0))
  local function variadic(...)
    local a, b = ...
    local packed = table.pack(...)
    return packed.n, a, b, select(-1, ...), ...
  end
  show(variadic(1, nil, "x"))
  show((variadic(1, 2)))
  show(pcall(select, 0))
  show(table.unpack({ 1, 2, 3 }, 2), table.unpack({ 1, 2 }, 1, 4))
  show(failure(table.unpack, {}, 1, 1e8))
  local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end
  show(deep(10000))
  show((failure(function() local function f() return 1 + f() end return f() end):match("stack overflow")))
  show(string.rep("x", 3, ","), (function(a, b, ...) return b, a, ... end)(1, 2, 3, 4))
  local object = { value = 1 }
  function object:add(n) self.value = self.value + n; return self end
  show(object:add(2):add(3).value)
  local function ackermann(m, n)
    if m == 0 then return n + 1 elseif n == 0 then return ackermann(m - 1, 1) end
    return ackermann(m - 1, ackermann(m, n - 1))
  end
  show(ackermann(2, 9))
end

section "goto and nested loops"
do
  for i = 1, 4 do
    for j = 1, 4 do
      if (i + j) % 3 == 0 then goto continue end
      if i * j > 9 then goto out end
      io.write(i, ":", j, " ")
      ::continue::
    end
  end
  ::out::
  local i = 1
  ::again::
  local hold = function() return i end
  if i < 5 then i = i + 1 goto again end
  print(hold())
end

section "tables"
do
  local t = {}
  for i = 1, 1000 do t[i] = i end
  for i = 1, 1000, 2 do t[i] = nil end
  local count, sum = 0, 0
  for k, v in pairs(t) do count = count + 1; sum = sum + k * v end
  show(count, sum, next({}), rawlen({ 1, 2 }), rawequal(t, t), rawget(t, 2))
  for i = 1, 1000 do t["k" .. i] = i; t[i + 0.5] = i; t[-i] = i end
  count, sum = 0, 0
  for k, v in pairs(t) do count = count + 1; sum = sum + v end
  for k in pairs(t) do t[k] = nil end
  show(count, sum, next(t))
  t = { 5, 2, 8, 1, 9, 3 }
  table.sort(t) show(t)
  table.sort(t, function(a, b) return a > b end) show(t)
  table.insert(t, 7) table.insert(t, 1, 0) show(t, table.remove(t), table.remove(t, 1), table.remove(t, 3), #t)
  show(table.move({ 1, 2, 3 }, 1, 3, 2), table.move({ 1, 2, 3 }, 2, 3, 1), table.concat({ 1, 2.5, "x" }, "-", 2, 3))
  show(failure(table.insert, {}, 5, 1), failure(table.concat, { {} }), failure(table.sort, { 1, "x" }), failure(table.insert, {}))
  show((failure(table.sort, { 3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 11, 15, 12 }, function() return true end)))
  local seed = 42
  local function random() seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed end
  local large = {}
  for i = 1, 5000 do large[i] = random() % 10000 end
  table.sort(large)
  local ordered = true
  for i = 2, #large do ordered = ordered and large[i - 1] <= large[i] end
  show(ordered, large[1], large[2500], large[5000])
  show(failure(next, {}, "missing"), failure(function() local n; n.x = 1 end), failure(function() return {} < {} end))
  show(failure(function() return {} .. "x" end), failure(function() return #5 end), failure(function() return nil > 1 end))
  show(failure(function() undefined.field = 1 end), failure(function() local a = {} a.b.c = 1 end), failure(function() ("x")() end))
  show(failure(function() string.nothing() end), failure(function() local a = 1; a:method() end))
  local mixed = { 1, 2, nil, 4, [2^53] = "big", [1.0] = "one" }
  show(mixed[1], mixed[2^53], #"\0\0")
  local object = setmetatable({}, { __index = function(_, k) return k .. "!" end })
  show(object.x, object[1], rawget(object, "x"))
end

section "metatables"
do
  local log = {}
  local meta = {}
  for _, event in ipairs { "add", "sub", "mul", "div", "mod", "pow", "unm", "idiv", "band", "bor", "bxor", "shl", "shr", "bnot",
    "concat", "len", "eq", "lt", "le", "call" } do
    meta["__" .. event] = function(a, b)
      log[#log + 1] = event .. (type(a) == "table" and "T" or tostring(a)) .. (type(b) == "table" and "T" or tostring(b))
      return event
    end
  end
  local a, b = setmetatable({}, meta), setmetatable({}, meta)
  show(a + 1, 1 + a, a - b, 2 * a, a / 2, a % 3, 2 ^ a, -a, a // 2, a & 1, 1 | a, a ~ b, a << 1, 1 >> a, ~a)
  show(a .. "x", "x" .. a, 1 .. a, #a, a == b, a ~= b, a < b, a <= 1, 1 > a, a >= b, a(5), a == a, a == 1)
  print(table.concat(log, " "))
  local stack = setmetatable({}, { __newindex = function(t, k, v) rawset(t, k, v * 2) end, __index = { inherited = "yes" } })
  stack.x = 4
  stack.x = 5
  show(stack.x, stack.inherited, stack.other)
  show(tostring(setmetatable({}, { __tostring = function() return "named" end })))
  show(failure(tostring, setmetatable({}, { __tostring = function() return 1 end })))
  show((tostring(setmetatable({}, { __name = "My.Type" })):gsub("0x%x+", "ADDRESS")))
  show(getmetatable(setmetatable({}, { __metatable = "locked" })), failure(setmetatable, setmetatable({}, { __metatable = 1 }), {}))
  local order = {}
  for k, v in pairs(setmetatable({}, { __pairs = function() return function(_, k) if not k then return 1, "one" end end, nil, nil end })) do
    order[#order + 1] = k .. v
  end
  show(order, getmetatable("").__index == string)
  local Animal = {} Animal.__index = Animal
  function Animal.new(name) return setmetatable({ name = name }, Animal) end
  function Animal:speak() return self.name .. " makes a sound" end
  local Dog = setmetatable({}, { __index = Animal }) Dog.__index = Dog
  function Dog.new(name) local self = Animal.new(name) return setmetatable(self, Dog) end
  function Dog:speak() return Animal.speak(self) .. ": woof" end
  show(Animal.new("cat"):speak(), Dog.new("dog"):speak())
  local chain = {}
  for i = 1, 100 do chain = setmetatable({}, { __index = chain }) end
  show(chain.nothing)
  local loop = {} setmetatable(loop, loop) loop.__index = loop
  show(failure(function() return loop.x end))
  local closed = {}
  do
    local x <close> = setmetatable({}, { __close = function(_, e) closed[#closed + 1] = "x" .. tostring(e) end })
    local y <close> = setmetatable({}, { __close = function(_, e) closed[#closed + 1] = "y" .. tostring(e) end })
    local z <close> = nil
  end
  show(pcall(function()
    local x <close> = setmetatable({}, { __close = function(_, e) closed[#closed + 1] = "e" .. tostring(e); error("second", 0) end })
    error("first", 0)
  end))
  for i in (function() return nil end), nil, nil, setmetatable({}, { __close = function() closed[#closed + 1] = "loop" end }) do end
  show(closed)
end

section "errors"
do
  show(pcall(error), pcall(error, nil), pcall(error, { 1 }), pcall(error, "text", 0), pcall(error, "text", 1), pcall(error, "text", 2))
  show(xpcall(function() error("inner", 0) end, function(m) return m .. " handled" end))
  show(xpcall(function(a, b) return a + b end, print, 1, 2))
  show(failure(xpcall), failure(assert, false), failure(assert, nil, "said"), failure(assert), select("#", assert(1, 2, 3)))
  show(xpcall(function() error() end, function() error("again", 0) end))
  local function level3() error("deep", 2) end
  local function level2() level3() end
  show(pcall(level2))
  show((debug.traceback("trace", 1):gsub("\n.*", "")))
  show(failure(function() local a <const> = {}; a.x.y = 1 end), failure(function() return 1 < "2" end), failure(function() return 2^53 & 1.5 end))
  show(failure(string.rep, "x", 1 << 40), failure(string.rep), failure(("x").rep, "x", {}), failure(ipairs), failure(setmetatable, 1, {}))
  show(failure(load, 5), load("syntax error here"), load(function() return nil end))
  show(pcall(pcall), pcall(pcall, error, "e"))
  warn("@on") warn("@off")
end

section "coroutines"
do
  local function generator(n)
    return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end return "end" end)
  end
  local g = generator(3)
  show(g(), g(), g(), g(), failure(g))
  local co
  co = coroutine.create(function(a, b)
    show(coroutine.isyieldable(), coroutine.status(co))
    local c = coroutine.yield(a + b)
    local d, e = coroutine.yield(c * 2)
    error({ code = d + e })
  end)
  show(coroutine.resume(co, 1, 2))
  show(coroutine.resume(co, 10))
  local ok, e = coroutine.resume(co, 3, 4)
  show(ok, e.code, coroutine.status(co), coroutine.resume(co))
  local function permute(a, n)
    n = n or #a
    if n <= 1 then coroutine.yield(table.concat(a)) else
      for i = 1, n do
        a[n], a[i] = a[i], a[n]
        permute(a, n - 1)
        a[n], a[i] = a[i], a[n]
      end
    end
  end
  local all = {}
  for p in coroutine.wrap(function() permute { "a", "b", "c", "d" } end) do all[#all + 1] = p end
  print(table.concat(all, " "))
  local through = coroutine.wrap(function()
    local ok, value = pcall(function() return coroutine.yield("inside pcall") + 1 end)
    coroutine.yield(ok, value)
    local t = setmetatable({}, { __add = function(a, b) return coroutine.yield("inside meta") .. b end,
      __index = function(_, k) return coroutine.yield(k) end })
    coroutine.yield(t + "x")
    coroutine.yield(t.field)
    for v in function(_, i) return coroutine.yield(i) end, nil, "for" do coroutine.yield(v) end
    table.sort({ 2, 1 }, function(a, b) return a < b end)
    return "done"
  end)
  show(through(), through(41), through(), through("m"), through(), through("f"), through(), through("one"), through(), through("two"), through(), through())
  show(failure(coroutine.wrap(function() table.sort({ 2, 1 }, function() coroutine.yield() end) end)))
  local closing = coroutine.create(function()
    local x <close> = setmetatable({}, { __close = function() print("closed by coroutine.close") end })
    coroutine.yield()
  end)
  coroutine.resume(closing)
  show(coroutine.close(closing), coroutine.status(closing), select(2, coroutine.running()))
  local nested = coroutine.wrap(function() return coroutine.wrap(function() return coroutine.wrap(function() coroutine.yield(1) return 2 end)() end)() end)
  show(nested(), failure(coroutine.resume, 1), failure(coroutine.yield))
  local many = 0
  for i = 1, 500 do
    local c = coroutine.wrap(function(x) while true do x = coroutine.yield(x * 2) end end)
    for j = 1, 10 do many = many + c(j) end
  end
  show(many)
end

section "strings"
do
  local text = "The quick brown fox jumps over the lazy dog"
  show(text:len(), text:upper(), text:lower(), text:reverse(), text:sub(5, 9), text:sub(-3), text:sub(-100, 3), text:sub(5, 4), ("x"):byte(), ("abc"):byte(1, -1))
  show(string.char(72, 105), failure(string.char, 256), ("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(2, "--"))
  show(text:find("quick"), text:find("o", 20), text:find("o", 20, true), text:find("", 50), text:find("", 44), text:find("(%w+) (%w+)"), text:find(".", 1, true))
  show(text:match("(%a+) dog"), text:match("()fox()"), ("key = value"):match("^(%w+)%s*=%s*(%w+)$"), ("[[nested]]"):match("%[(%b[])%]"), ("THE (quick) fox"):find("%((%a+)%)"))
  show(("hello world"):gsub("o", "0"), ("hello"):gsub("", "-"), ("abc"):gsub("%w", "%0%0"), ("abc"):gsub("(a)(b)(c)", "%3%2%1"), ("x y"):gsub("%a", { x = "1", y = false }), ("abc"):gsub(".", function(c) if c == "b" then return "B" end end), ("aaa"):gsub("a", "b", 2))
  show(("THE (quick) fox"):gsub("%f[%a]%a+", string.lower), ("a.b.c"):gsub("%.", "%%"), failure(string.gsub, "a", "a", "%2"), failure(string.gsub, "a", "(", ""), failure(string.find, "a", "[a"), failure(string.find, "a", "%"), failure(string.gsub, "x", "x", "%"))
  for k, v in ("a=1, b=2, c=3"):gmatch("(%w+)=(%w+)") do io.write(k, v, ";") end
  for w in ("one two  three"):gmatch("%S+") do io.write(w, "|") end
  for p in ("abc"):gmatch("()") do io.write(p, " ") end
  print()
  show(("[%a]"):find("[%]]"), ("x-y"):match("[a%-z]+"), ("a-z"):match("[a-]+"), ("^x"):match("[%^x]+"), ("]"):match("[]]"), ("é"):len(), ("\0a\0"):match("%z"), ("ab12"):match("^%a-%d+$"), ("aXb"):match("%u"), ("\t "):match("%s+"), ("!?"):match("%p+"), ("1f"):match("%x+"), ("\1"):match("%c"), ("ab"):match("%g+"))
  show(string.format("%5d|%-5d|%05d|%+d|%x|%X|%#x|%o|%c|%i|%u", 42, 42, 42, 42, 255, 255, 255, 8, 65, 7, 9))
  show(string.format("%10s|%-10s|%.3s|%q|%s|%%", "right", "left", "truncate", 'quote"\n\0\r\\', nil))
  show(string.format("%q %q %q %q", 1 / 3, math.mininteger, 1 / 0, true), string.format("%g %g %.3g %a", 1e20, 0.1, 1234.5, 1.0))
  show(failure(string.format, "%d", 1.5), failure(string.format, "%d", "x"), failure(string.format, "%y", 1), failure(string.format, "%"), failure(string.format, "%d"), failure(string.format, "%0123d", 1), string.format("%s %s", 1, 1.0), string.format("%d", "10"))
  show(tostring(1e100), tostring(-0.0), tostring(1e15), tostring(123456789012.0), 2^63, tonumber("0x1p4"), tonumber("1e1"), tonumber("  10  "), tonumber("10x"), tonumber("z", 36), tonumber("ff", 16), tonumber("8", 8), tonumber("1111", 2), tonumber(""), tonumber("0x"), tonumber("1 2"), tonumber("-0x10"), tonumber("-7", 8), failure(tonumber, "1", 99))
  show("a" < "b", "a" < "B", "" < "a", "a\0b" < "a\0c", "Z" < "a", "abc" == "ab" .. "c", "10" < "9", 1 .. "", 1.0 .. "", -1 .. "")
  local packed = string.pack("<i4 >i4 =I2 b B h j n d f s1 z x !8 i8", 1, -2, 3, -4, 5, -6, 7, 1.5, 2.5, 3.5, "str", "zero", 9)
  show(checksum(packed), string.unpack("<i4 >i4 =I2 b B h j n d f s1 z x !8 i8", packed))
  show(string.packsize("i4 i8 !8 d"), failure(string.pack, "i17", 1), failure(string.pack, "i1", 300), failure(string.unpack, "i4", "abc"), failure(string.pack, "z", "a\0b"), string.unpack("<I3", "\1\2\3"), string.unpack("<i16", ("\255"):rep(16)), string.pack(">I5", 1 << 33):byte(1, -1))
  local buffer = {}
  for i = 1, 3000 do buffer[#buffer + 1] = ("%d:%s;"):format(i, ("x"):rep(i % 17)) end
  local long = table.concat(buffer)
  show(checksum(long), select(2, long:gsub("x+", "")), #long:rep(20), long:find("2999:", 1, true), checksum(long:gsub("%d+", function(d) return d * 2 end)))
  local s = ""
  for i = 1, 300 do s = s .. i end
  show(checksum(s), s == load("return '" .. s .. "'")())
end

section "utf8"
do
  local text = "aé€😀z"
  show(utf8.len(text), utf8.char(97, 233, 8364, 128512), utf8.codepoint(text, 1, -1))
  for p, c in utf8.codes(text) do io.write(p, "=", c, " ") end
  print(utf8.offset(text, 3), utf8.offset(text, -1), utf8.len("\xff"), utf8.len(text, 3), utf8.charpattern == "[\0-\x7F\xC2-\xFD][\x80-\xBF]*")
  show(failure(utf8.codepoint, "\xff"), failure(utf8.char, -1), failure(utf8.offset, text, 1, 3), utf8.len("\u{7FFFFFFF}", 1, -1, true), utf8.len("\u{D800}", 1, -1, true), utf8.len("\xED\xA0\x80"), failure(function() for _ in utf8.codes("a\xffb") do end end))
  for c in text:gmatch(utf8.charpattern) do io.write(#c, " ") end
  print()
end

section "mathematics"
do
  show(math.floor(-3.5), math.ceil(-3.5), math.floor(2^70), math.max(1, 2.5, -1), math.min(3, 1, 2), math.fmod(-7, 3), math.fmod(7, -3.5), math.modf(3.7), math.modf(-3.7), math.modf(1 / 0), math.sqrt(2), math.pi, math.huge)
  show(math.tointeger(3.0), math.tointeger(3.5), math.tointeger("8"), math.type(1), math.type(1.0), math.type("1"), math.ult(1, -1), failure(math.floor, "x"), failure(math.max), failure(math.fmod, 1, 0), math.fmod(math.mininteger, -1))
  for _, f in ipairs { "sin", "cos", "tan", "asin", "acos", "atan", "exp" } do show(f, math[f](0.5)) end
  show(math.log(8, 2), math.log(100, 10), math.log(2), math.log(27, 3), math.atan(1, -1), math.deg(math.pi), math.rad(180), math.abs(-5), math.abs(math.mininteger))
  math.randomseed(42, 7)
  for i = 1, 20 do io.write(math.random(100), " ", math.random(-5, 5), " ") end
  print(math.random(0), string.format("%a", math.random()), math.random(math.mininteger, math.maxinteger), failure(math.random, 2, 1), failure(math.random, 1, 2, 3))
end

section "load, dump and environments"
do
  local function sample(a, ...)
    local t = { a, ..., k = "constant", [1.5] = 2 }
    for i = 1, 3 do t[i] = (t[i] or 0) + i end
    return t[1], function() return a end, #t
  end
  show(checksum(string.dump(sample, true)), checksum(string.dump(sample)))
  local again = load(string.dump(sample, true), "dumped", "b")
  show((again(5, 6)), failure(string.dump, print), load(string.dump(sample), "x", "t"), load("return 1", "x", "b"))
  local dumped = string.dump(sample)
  for _, cut in ipairs { 1, 4, 10, 31, 40, #dumped // 2, #dumped - 1 } do show(cut, load(dumped:sub(1, cut), "=cut")) end
  local env = { print = print }
  local chunk = load("x = 1; y = (x or 0) + 1; return _ENV", "env", "t", env)
  show(chunk() == env, env.x, env.y, x, y)
  local pieces, n = { "return ", "1 ", "+ 2" }, 0
  show(load(function() n = n + 1; return pieces[n] end)(), pcall(load, function() error("reader", 0) end))
  show(failure(dofile, "/nonexistent/file.lua"), require("string") == string, package.loaded._G == _G, type(package.path), failure(require, "no.such.module"):match("module 'no.such.module' not found"))
  package.preload.mine = function(name, extra) return { name = name, extra = extra } end
  show(require("mine").name, require("mine").extra, package.searchpath("x", "/nonexistent/?.lua;/nonexistent/?/init.lua"))
  local _ENV <const> = { show = show }
  z = 5
  show(z, _ENV.z)
end

section "debug"
do
  local function f(a, b, ...) local c = a; return debug.getinfo(1, "nSlutf"), c end
  local info = f(1, 2)
  show(info.name, info.namewhat, info.short_src:match("[^/]*$"), info.linedefined - info.currentline, info.nups, info.nparams, info.isvararg, info.istailcall, info.what)
  local x, y = 10, 20
  local function upvalues() return x, y end
  show(debug.getupvalue(upvalues, 1), debug.setupvalue(upvalues, 2, 99), y, debug.getlocal(f, 1), debug.getlocal(f, 3))
  local lines, calls = 0, 0
  debug.sethook(function(event) if event == "line" then lines = lines + 1 else calls = calls + 1 end end, "crl")
  for i = 1, 10 do math.abs(i) end
  debug.sethook()
  show(lines, calls, debug.gethook())
  local counted = 0
  debug.sethook(function() counted = counted + 1 end, "", 100)
  for i = 1, 10000 do end
  debug.sethook()
  show(counted)
  show((debug.traceback("message", 1):gsub("[^\n]*/", ""):gsub("0x%x+", "ADDRESS")))
  show(debug.upvalueid(upvalues, 1) ~= debug.upvalueid(upvalues, 2), debug.getmetatable("").__index == string, failure(debug.getinfo, 1, "X"), debug.getinfo(print).what, failure(debug.getlocal, 100, 1))
  local co = coroutine.create(function(a) local b = a; coroutine.yield(b) end)
  coroutine.resume(co, 7)
  show(debug.getlocal(co, 1, 1), debug.getlocal(co, 1, 2))
  show((debug.traceback(co):gsub("[^\n]*/", "")))
  local active = {}
  for line in pairs(debug.getinfo(f, "L").activelines) do active[#active + 1] = line - info.linedefined end
  show(#active)
  show(pcall(debug.setmetatable, 10, { __index = function(n, k) return n .. k end }), (5).x, debug.setmetatable(10, nil))
end

section "garbage"
do
  local finalised = 0
  for _, mode in ipairs { "generational", "incremental" } do
    collectgarbage(mode)
    local weak, strong = setmetatable({}, { __mode = "v" }), {}
    local ephemeron = setmetatable({}, { __mode = "k" })
    for i = 1, 2000 do
      local object = setmetatable({ i }, { __gc = function() finalised = finalised + 1 end })
      weak[i] = object
      ephemeron[object] = { object }
      if i % 10 == 0 then strong[#strong + 1] = object end
      if i % 500 == 0 then collectgarbage("step", 10) end
    end
    collectgarbage() collectgarbage()
    local left, keys = 0, 0
    for _ in pairs(weak) do left = left + 1 end
    for _ in pairs(ephemeron) do keys = keys + 1 end
    show(mode, left, keys, finalised, #strong, strong[7][1])
  end
  collectgarbage("stop")
  show(collectgarbage("isrunning"))
  collectgarbage("restart")
  show(collectgarbage("isrunning"), collectgarbage("setpause", 100), collectgarbage("setstepmul", 200), collectgarbage("incremental", 100, 200, 10), collectgarbage("count") > 0, failure(collectgarbage, "nonsense"))
  local list
  for i = 1, 100000 do list = { next = list, value = i .. "" } end
  local length = 0
  while list do length = length + 1; list = list.next end
  show(length)
  local resurrected
  do
    local phoenix = setmetatable({ "ash" }, { __gc = function(o) resurrected = o end })
    phoenix = nil
    collectgarbage()
  end
  show(resurrected and resurrected[1])
  setmetatable({}, { __gc = function() error("in a finaliser") end })
  collectgarbage()
end

section "files and system"
do
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  show(io.type(file), io.type(42), file:write("first line\n", 2, " ", 3.5, "\n0x1F -7 1e2 nan\nlast without end"), file:seek("cur"), file:seek("set", 2), file:setvbuf("full", 1024), file:close(), io.type(file), failure(file.write, file, "x"))
  for line in io.lines(name) do io.write("[", line, "]") end
  for line in io.lines(name, "L") do io.write("<", #line, ">") end
  for a, b in io.lines(name, 1, 4) do io.write("(", a, "|", (b or "nil"):gsub("\n", "~"), ")") break end
  print()
  file = io.open(name)
  show(file:read("l", "n", "n", "l", "n", "n", "n", "n"))
  show(file:read("a"), file:read("a"), file:read("l"), file:read(0), file:seek("end"), file:seek("set"), file:read(5, 0, "L"))
  file:close()
  file = io.open(name, "a+") file:write("\nappended") file:seek("set") show(#file:read("a")) file:close()
  file = io.open(name, "r+") file:write("FIRST") file:seek("set") show(file:read()) file:close()
  show(io.open("/nonexistent/file"), failure(io.open, name, "bad"), failure(io.lines, "/nonexistent/file"))
  do local closing <close> = io.open(name) end
  local previous = io.output()
  io.output(name) io.write("through the default") io.close() io.output(previous)
  io.input(name) show(io.read("a")) io.close(io.input()) io.input(io.stdin)
  show(os.remove(name), select(1, os.remove(name)), (select(3, os.remove(name))))
  local pipe = io.popen("echo from a pipe; exit 3")
  show(pipe:read("a"), pipe:close())
  show(os.execute("exit 5"), os.execute() ~= nil, os.getenv("NO_SUCH_VARIABLE"), os.setlocale("C"), os.setlocale("no such locale"))
  show(os.time({ year = 2020, month = 2, day = 30, hour = 12 }) - os.time({ year = 2020, month = 3, day = 1, hour = 12 }), os.date("!%Y-%m-%d %H:%M:%S %j %a %B", 1e9), os.date("!*t", 86400).yday, failure(os.date, "%Ez", 0), failure(os.date, "%Q", 0), failure(os.time, { year = 2020 }), os.difftime(10, 5), failure(os.time, { year = 1 << 40, month = 1, day = 1 }), type(os.clock()), type(os.time()))
  local t = { year = 2021, month = 14, day = -3, hour = 25, min = 61, sec = 61, isdst = false }
  os.time(t)
  show(t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday)
end

section "programs"
do
  local function sieve(n)
    local composite, primes = {}, {}
    for i = 2, n do
      if not composite[i] then
        primes[#primes + 1] = i
        for j = i * i, n, i do composite[j] = true end
      end
    end
    return primes
  end
  local primes = sieve(20000)
  show(#primes, primes[#primes])
  local function queens(n)
    local columns, up, down, count = {}, {}, {}, 0
    local function place(row)
      if row > n then count = count + 1 return end
      for c = 1, n do
        if not (columns[c] or up[row + c] or down[row - c]) then
          columns[c], up[row + c], down[row - c] = true, true, true
          place(row + 1)
          columns[c], up[row + c], down[row - c] = nil, nil, nil
        end
      end
    end
    place(1)
    return count
  end
  show(queens(7))
  local function fibonacci(n) if n < 2 then return n end return fibonacci(n - 1) + fibonacci(n - 2) end
  show(fibonacci(23))
  local function multiply(a, b)
    local n, result = #a, {}
    for i = 1, n do
      local row = {}
      for j = 1, n do
        local sum = 0.0
        for k = 1, n do sum = sum + a[i][k] * b[k][j] end
        row[j] = sum
      end
      result[i] = row
    end
    return result
  end
  local a = {}
  for i = 1, 20 do a[i] = {} for j = 1, 20 do a[i][j] = (i * j) % 7 / 3 end end
  local product = multiply(multiply(a, a), a)
  show(product[1][1], product[20][20], product[7][13])
  local words = {}
  for word in ("the cat and the dog and the bird"):gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
  local sorted = {}
  for word, count in pairs(words) do sorted[#sorted + 1] = word .. count end
  table.sort(sorted)
  show(sorted)
  local function parse(text)
    local position = 1
    local expression
    local function skip() position = text:find("%S", position) or #text + 1 end
    local function atom()
      skip()
      if text:sub(position, position) == "(" then
        position = position + 1
        local value = expression()
        skip()
        position = position + 1
        return value
      end
      local number = text:match("^%d+%.?%d*", position)
      position = position + #number
      return tonumber(number)
    end
    local function operation(operators, operand)
      return function()
        local value = operand()
        while true do
          skip()
          local f = operators[text:sub(position, position)]
          if not f then return value end
          position = position + 1
          value = f(value, operand())
        end
      end
    end
    local term = operation({ ["*"] = function(x, y) return x * y end, ["/"] = function(x, y) return x / y end }, atom)
    expression = operation({ ["+"] = function(x, y) return x + y end, ["-"] = function(x, y) return x - y end }, term)
    return expression()
  end
  show(parse("1 + 2 * (3 - 4) / 5 + 10 * 10"), parse("((7))"), parse("2*3*4-5-6"))
end
