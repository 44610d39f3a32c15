// What each variable of a JavaScript program stands for, by ESLint's parser and its analysis of scopes.
//
// One JSON object a line on standard input, `{"text": "…"}`, and one line back, see examples/agree.rs. Labels and
// members are left out.
//
// The two packages are installed anywhere outside of the project, and the folder is named in an argument:
//
//     mkdir FOLDER && cd FOLDER && npm install espree eslint-scope
//     cargo run -p allotrope-syntax --example agree -- javascript node crates/syntax/oracles/javascript_names.mjs FOLDER
//
// A text is read as a script, and as a module when that fails, because a file without `import` and `export` is
// a script wherever it runs. ESLint leaves three things of sloppy scripts out, which are added here: functions
// in blocks are variables of the function around them (ECMAScript, B.3.3), `var` in a catch clause writes the
// parameter of its name, and names that are assigned but not declared become globals.

import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node javascript_names.mjs FOLDER, where espree and eslint-scope are installed in FOLDER");
  process.exit(2);
}
const require = createRequire(path.join(path.resolve(folder), "index.js"));
const espree = require("espree");
const eslintScope = require("eslint-scope");

// Assigning to one of these sets what the host has, and makes no variable of the program's. The program
// that runs this script is one of the hosts.
const HOST_NAMES = new Set(
  ("exports module require name status event length parent top self window location arguments close closed opener " +
    "origin print prompt screen stop history frames external constructor prototype alert document navigator")
    .split(" ")
    .concat(Object.getOwnPropertyNames(globalThis)),
);

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { names: namesOf(JSON.parse(line).text) };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}

function parse(text) {
  const options = (sourceType, globalReturn) => ({
    ecmaVersion: "latest",
    sourceType,
    range: true,
    ecmaFeatures: { jsx: true, globalReturn },
  });
  try {
    return ["script", espree.parse(text, options("script", true))];
  } catch {
    return ["module", espree.parse(text, options("module", false))];
  }
}

function namesOf(text) {
  // The parser takes a byte order mark for a part of the text, and so do we.
  const [sourceType, tree] = parse(text);
  const manager = eslintScope.analyze(tree, {
    ecmaVersion: espree.latestEcmaVersion,
    sourceType,
    ignoreEval: true,
    jsx: true,
    childVisitorKeys: espree.VisitorKeys,
    fallback: "iteration",
  });
  const same = new Map();
  const representative = (variable) => {
    while (same.has(variable)) variable = same.get(variable);
    return variable;
  };
  const unite = (one, other) => {
    [one, other] = [representative(one), representative(other)];
    if (one !== other) same.set(other, one);
  };
  const hoisted = hoistBlockFunctions(manager, unite);
  uniteCatchParameters(manager, unite);

  const first = new Map();
  for (const scope of manager.scopes) {
    for (const variable of scope.variables) {
      const starts = variable.defs.map((definition) => definition.name.range[0]);
      if (starts.length > 0) {
        const key = representative(variable);
        first.set(key, Math.min(first.get(key) ?? Infinity, ...starts));
      }
    }
  }
  const toBytes = byteOffsets(text);
  const names = new Map();
  const note = (identifier, declaration) => {
    const [start, end] = identifier.range;
    names.set(start, [toBytes(start), toBytes(end), declaration < 0 ? -1 : toBytes(declaration)]);
  };
  const implicit = implicitGlobals(manager, hoisted);
  for (const scope of manager.scopes) {
    for (const variable of scope.variables) {
      for (const definition of variable.defs) note(definition.name, first.get(representative(variable)));
    }
  }
  for (const scope of manager.scopes) {
    for (const reference of scope.references) {
      const { identifier } = reference;
      const found = lookUp(reference, hoisted);
      if (found === "dynamic") continue;
      const variable = found && representative(found);
      if (variable && first.has(variable)) note(identifier, first.get(variable));
      else if (variable) note(identifier, -1);
      else if (!implicit.has(identifier.name)) note(identifier, -1);
      else if (!HOST_NAMES.has(identifier.name)) note(identifier, implicit.get(identifier.name));
    }
  }
  return [...names.values()];
}

/// The variable that a reference stands for: ESLint leaves those of the global scope open.
function lookUp(reference, hoisted) {
  const { identifier } = reference;
  const name = identifier.name;
  if (reference.resolved && !hoisted.names.has(name)) return reference.resolved;
  for (let scope = reference.from; scope; scope = scope.upper) {
    if (scope.type === "with") return "dynamic";
    const variable = scope.set.get(name);
    if (variable && isSeen(variable, scope, identifier)) return variable;
    const hoistedHere = hoisted.scopes.get(scope)?.get(name);
    if (hoistedHere && isAfterParameters(scope, identifier)) return hoistedHere;
  }
  return null;
}

/// The defaults of parameters do not see what the body declares.
function isSeen(variable, scope, identifier) {
  if (isAfterParameters(scope, identifier) || variable.defs.length === 0) return true;
  const body = scope.block.body.range[0];
  return variable.defs.some((definition) => definition.name.range[0] < body);
}

function isAfterParameters(scope, identifier) {
  return scope.type !== "function" || !scope.block.body || identifier.range[0] >= scope.block.body.range[0];
}

function hoistBlockFunctions(manager, unite) {
  const hoisted = { scopes: new Map(), names: new Set() };
  for (const scope of manager.scopes) {
    if ((scope.type !== "block" && scope.type !== "switch") || scope.isStrict) continue;
    for (const variable of scope.variables) {
      const isPlain = ({ type, node }) => type === "FunctionName" && !node.async && !node.generator;
      if (!variable.defs.some(isPlain)) continue;
      let around = scope.upper;
      const target = scope.variableScope;
      while (around !== target && (around.type === "catch" || !around.set.has(variable.name))) around = around.upper;
      if (around !== target) continue;
      const other = target.set.get(variable.name) ?? hoisted.scopes.get(target)?.get(variable.name);
      if (other && other.defs.length > 0) {
        const isInTheWay = ({ type, parent }) =>
          ["Parameter", "ClassName", "ImportBinding"].includes(type) || (type === "Variable" && parent.kind !== "var");
        if (!other.defs.some(isInTheWay)) unite(other, variable);
      } else {
        if (!hoisted.scopes.has(target)) hoisted.scopes.set(target, new Map());
        hoisted.scopes.get(target).set(variable.name, variable);
        hoisted.names.add(variable.name);
      }
    }
  }
  return hoisted;
}

function uniteCatchParameters(manager, unite) {
  for (const scope of manager.scopes) {
    if (scope.type !== "catch") continue;
    const [start, end] = scope.block.body.range;
    for (const parameter of scope.variables) {
      const variable = scope.variableScope.set.get(parameter.name);
      const isInside = ({ type, name }) => type === "Variable" && name.range[0] >= start && name.range[1] <= end;
      if (variable?.defs.some(isInside)) unite(parameter, variable);
    }
  }
}

/// The place of the first assignment to each name that sloppy code assigns and nothing declares.
function implicitGlobals(manager, hoisted) {
  const found = new Map();
  for (const scope of manager.scopes) {
    for (const reference of scope.references) {
      const { identifier } = reference;
      if (!reference.maybeImplicitGlobal && !reference.__maybeImplicitGlobal) continue;
      if (lookUp(reference, hoisted) !== null) continue;
      const start = identifier.range[0];
      found.set(identifier.name, Math.min(found.get(identifier.name) ?? Infinity, start));
    }
  }
  return found;
}

/// JavaScript counts UTF-16 units, we count bytes of UTF-8.
function byteOffsets(text) {
  const offsets = new Uint32Array(text.length + 1);
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    offsets[index] = bytes;
    const unit = text.charCodeAt(index);
    // The two halves of a surrogate pair are four bytes.
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800 || (unit >= 0xd800 && unit < 0xe000)) bytes += 2;
    else bytes += 3;
  }
  offsets[text.length] = bytes;
  return (index) => offsets[index];
}
