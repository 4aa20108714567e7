// Runs one JavaScript program of unknown origin, as confined_child.py runs Python; same order in, same report out, but
// for a timeout: the kernel's limits are set by who starts it, and processor time over the limit ends it without a word.
// The program gets no require and no process, and an assertion that fails throws: console.assert only prints.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");

const order = JSON.parse(fs.readFileSync(0, "utf8"));
const streams = `
console = new Proxy({}, { get: (_, name) => (name === "assert" ? check : () => {}) });
function check(holds, ...said) {
  if (!holds) { const error = new Error(said.join(" ")); error.name = "AssertionError"; throw error; }
}
`;
let outcome = "passed";
try {
  const context = vm.createContext({});
  vm.runInContext(streams, context);
  vm.runInContext(order.program, context);
} catch (error) {
  outcome = `failed ${error?.name ?? typeof error}`;
}
fs.writeSync(1, `${order.nonce} ${outcome}\n`);
