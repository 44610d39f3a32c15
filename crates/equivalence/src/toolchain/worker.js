// Checks JavaScript in one warm process. A message is a number of fields, and each field a length and its bytes.
// Question: ["check", source]. Answer: ["passes"] or ["rejected", problem].
"use strict";
const fs = require("fs");
const vm = require("vm");

function readExactly(length) {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    let count = 0;
    try {
      count = fs.readSync(0, bytes, done, length - done, null);
    } catch (problem) {
      if (problem.code === "EAGAIN") continue;
      throw problem;
    }
    if (count === 0) process.exit(0);
    done += count;
  }
  return bytes;
}

const readNumber = () => readExactly(4).readInt32BE(0);

function check(source) {
  // A script, then a file of CommonJS, whose text is the inside of a function, then a module.
  const readings = [
    () => new vm.Script(source),
    () => vm.compileFunction(source, ["exports", "require", "module", "__filename", "__dirname"]),
    () => new vm.SourceTextModule(source),
  ];
  let first = null;
  for (const reading of readings) {
    try {
      reading();
      return ["passes"];
    } catch (problem) {
      first = first || `${problem.name}: ${problem.message}`;
    }
  }
  return ["rejected", first];
}

for (;;) {
  const fields = Array.from({ length: readNumber() }, () => readExactly(readNumber()));
  const answer = check(fields[1].toString("utf8")).map((field) => Buffer.from(field));
  const number = (value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value, 0);
    return bytes;
  };
  const message = Buffer.concat([number(answer.length), ...answer.flatMap((field) => [number(field.length), field])]);
  for (let done = 0; done < message.length; ) {
    try {
      done += fs.writeSync(1, message, done);
    } catch (problem) {
      if (problem.code !== "EAGAIN") throw problem;
    }
  }
}
