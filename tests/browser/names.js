// names.js FILE…: prints the names of the tests of these files, as JSON. It runs none: in place of node:test it loads
// functions that note the names. Packages need not be installed.
'use strict';

const Module = require('node:module');
const path = require('node:path');

const names = [];
const note = (name) => { names.push(name); };
const noted = Object.assign(note, { test: note, before() {}, after() {}, beforeEach() {}, afterEach() {} });
// In place of a package: each property and each call yields this proxy again.
const nothing = new Proxy(() => {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
  apply: () => nothing, construct: () => nothing });
const isPackage = (name) => !Module.isBuiltin(name) && !name.startsWith('.') && !path.isAbsolute(name);

const { _load: load, _resolveFilename: resolve } = Module;
Module._load = (name, ...rest) => (name === 'node:test' ? noted : isPackage(name) ? nothing : load(name, ...rest));
Module._resolveFilename = (name, ...rest) => (isPackage(name) ? __filename : resolve(name, ...rest));

Object.assign(process.env, { SVC_URL: 'http://svc.example', SVC_SESSION_OLIVIA: 'a=b' });
for (const file of process.argv.slice(2)) require(path.resolve(file));
console.log(JSON.stringify(names));
