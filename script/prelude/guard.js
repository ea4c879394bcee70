// First part: takes out what a rule has no use for, and puts a bound on every built-in that loops inside the engine, where the
// time limit does not reach. It runs before any script.
const columnOf = globalThis.__column;
const callOf = globalThis.__call;
const define = Object.defineProperty;
const namesOf = Object.getOwnPropertyNames;
const symbolsOf = Object.getOwnPropertySymbols;
const descriptor = Object.getOwnPropertyDescriptor;
const prototypeOf = Object.getPrototypeOf;
const apply = Reflect.apply;
const construct = Reflect.construct;
const ProxyOf = Proxy;
const isArray = Array.isArray;
const parseJSON = JSON.parse;
const NativeRegExp = RegExp;
const nativeSlice = Array.prototype.slice;
const nativeJoin = Array.prototype.join;
const nativeSort = Array.prototype.sort;

// varies says that the run looked at something that another call could find different: the call, the clock or chance.
let varies = false;

const maxList = 100000;
const maxText = 65536;
const maxPattern = 4096;
const maxSearch = 1e8;

// put sets a property as built-ins have it.
function put(object, name, value) {
  define(object, name, { value: value, writable: true, enumerable: false, configurable: true });
}

// text turns a value into text that is short enough to loop over.
function text(value) {
  const s = typeof value === 'string' ? value : String(value);
  if (s.length > maxText) throw new RangeError('text of ' + s.length + ' characters is too long: the limit is ' + maxText);
  return s;
}

// list returns an array that is short enough to loop over; what only looks like an array is copied.
function list(value, method) {
  if (value === null || value === undefined) throw new TypeError(method + ' of ' + value);
  const array = isArray(value);
  const length = array ? value.length : Number(value.length) || 0;
  if (length > maxList) throw new RangeError('list of ' + length + ' entries is too long: the limit is ' + maxList);
  if (array) return value;
  const copy = [];
  for (let i = 0; i < length; i++) copy[i] = value[i];
  return copy;
}

for (const name of ['copyWithin', 'every', 'fill', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'forEach', 'includes',
  'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'reverse', 'shift', 'slice', 'some', 'sort', 'splice',
  'toLocaleString', 'toReversed', 'toSorted', 'toSpliced', 'unshift', 'with']) {
  const native = Array.prototype[name];
  if (native === undefined) continue;
  put(Array.prototype, name, { [name]() { return apply(native, list(this, name), arguments); } }[name]);
}
put(Array.prototype, 'concat', { concat() {
  const out = [];
  const add = function (value) {
    if (!isArray(value)) { out.push(value); return; }
    list(value, 'concat');
    for (let i = 0; i < value.length; i++) out.push(value[i]);
  };
  add(this);
  for (let i = 0; i < arguments.length; i++) add(arguments[i]);
  return out;
} }.concat);
const flatten = function (out, value, depth) {
  list(value, 'flat');
  for (let i = 0; i < value.length; i++) {
    if (isArray(value[i]) && depth > 0) flatten(out, value[i], depth - 1); else out.push(value[i]);
  }
  return out;
};
put(Array.prototype, 'flat', { flat(depth) { return flatten([], list(this, 'flat'), depth === undefined ? 1 : Number(depth) || 0); } }.flat);
put(Array.prototype, 'flatMap', { flatMap(f, self) {
  const source = list(this, 'flatMap'), out = [];
  for (let i = 0; i < source.length; i++) out.push(apply(f, self, [source[i], i, source]));
  return flatten([], out, 1);
} }.flatMap);
put(Array, 'from', { from(source, f, self) {
  const out = [];
  const add = function (value) {
    if (out.length >= maxList) throw new RangeError('list is too long: the limit is ' + maxList);
    out.push(f === undefined ? value : apply(f, self, [value, out.length]));
  };
  if (source[Symbol.iterator] !== undefined && source[Symbol.iterator] !== null) {
    for (const value of source) add(value);
  } else {
    const length = Number(source.length) || 0;
    for (let i = 0; i < length; i++) add(source[i]);
  }
  return out;
} }.from);
delete Array.fromAsync;

// Iterators of the engine run in its own loops; a function of the script's language in between lets the clock in.
for (const iterator of [[][Symbol.iterator](), ''[Symbol.iterator]()]) {
  const prototype = prototypeOf(iterator);
  const native = prototype.next;
  put(prototype, 'next', { next() { return apply(native, this, []); } }.next);
}
const iteratorPrototype = prototypeOf(prototypeOf([][Symbol.iterator]()));
for (const name of namesOf(iteratorPrototype)) delete iteratorPrototype[name];

const argument = function (value) {
  if (typeof value === 'object' && value !== null && !(value instanceof NativeRegExp)) return text(value);
  if (typeof value === 'string') return text(value);
  return value;
};
for (const name of ['includes', 'indexOf', 'lastIndexOf', 'localeCompare', 'match', 'matchAll', 'normalize', 'replace', 'replaceAll',
  'search', 'split', 'toLocaleLowerCase', 'toLocaleUpperCase', 'toLowerCase', 'toUpperCase', 'toWellFormed', 'trim', 'trimEnd', 'trimStart']) {
  const native = String.prototype[name];
  if (native === undefined) continue;
  put(String.prototype, name, { [name](first, second) {
    if (this === null || this === undefined) throw new TypeError(name + ' of ' + this);
    const self = text(this);
    if (arguments.length === 0) return apply(native, self, []);
    first = argument(first);
    if (typeof first === 'string' && first.length * self.length > maxSearch) throw new RangeError('search takes too long');
    return arguments.length === 1 ? apply(native, self, [first]) : apply(native, self, [first, argument(second)]);
  } }[name]);
}
for (const name of ['anchor', 'big', 'blink', 'bold', 'fixed', 'fontcolor', 'fontsize', 'italics', 'link', 'small', 'strike', 'sub', 'sup', '__quote']) {
  delete String.prototype[name];
}
delete String.raw;

for (const key of ['exec', 'test', Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]) {
  const native = NativeRegExp.prototype[key];
  put(NativeRegExp.prototype, key, { [key](first, second) {
    return apply(native, this, arguments.length < 2 ? [text(first)] : [text(first), argument(second)]);
  } }[key]);
}
delete NativeRegExp.prototype.compile;
const pattern = function (source) {
  if (source instanceof NativeRegExp) return source;
  const s = source === undefined ? '' : String(source);
  if (s.length > maxPattern) throw new RangeError('pattern is too long: the limit is ' + maxPattern);
  return s;
};
const GuardedRegExp = function RegExp(source, flags) { return new NativeRegExp(pattern(source), flags); };
define(GuardedRegExp, 'prototype', { value: NativeRegExp.prototype, writable: false });
put(NativeRegExp.prototype, 'constructor', GuardedRegExp);
put(globalThis, 'RegExp', GuardedRegExp);

for (const name of ['parseInt', 'parseFloat', 'encodeURI', 'encodeURIComponent', 'decodeURI', 'decodeURIComponent', 'escape', 'unescape']) {
  const native = globalThis[name];
  put(globalThis, name, { [name](first, second) { return native(text(first), second); } }[name]);
}
put(Number, 'parseInt', globalThis.parseInt);
put(Number, 'parseFloat', globalThis.parseFloat);
put(JSON, 'parse', { parse(source, reviver) { return parseJSON(text(source), reviver); } }.parse);
const stringify = JSON.stringify;
put(JSON, 'stringify', { stringify(value, replacer, indent) {
  // A replacer is called for each entry, so that the clock gets in.
  return stringify(value, typeof replacer === 'function' ? replacer : function (key, entry) { return entry; }, indent);
} }.stringify);

// Chance and the clock are noticed.
const nativeRandom = Math.random;
put(Math, 'random', { random() { varies = true; return nativeRandom(); } }.random);
const NativeDate = Date;
const NoticedDate = function Date() {
  if (new.target === undefined) { varies = true; return NativeDate(); }
  if (arguments.length === 0) varies = true;
  return construct(NativeDate, arguments, new.target);
};
define(NoticedDate, 'length', { value: 7 });
define(NoticedDate, 'prototype', { value: NativeDate.prototype, writable: false });
put(NoticedDate, 'now', { now() { varies = true; return NativeDate.now(); } }.now);
put(NoticedDate, 'parse', NativeDate.parse);
put(NoticedDate, 'UTC', NativeDate.UTC);
put(NativeDate.prototype, 'constructor', NoticedDate);
put(globalThis, 'Date', NoticedDate);

// Code cannot be made from text, and there is no global that a rule has no use for.
const NoFunction = function Function() { throw new TypeError('a script rule cannot make code from text'); };
define(NoFunction, 'prototype', { value: Function.prototype, writable: false });
const functionKinds = [function () {}, function* () {}, async function () {}, async function* () {}];
for (const f of functionKinds) define(prototypeOf(f), 'constructor', { value: NoFunction, writable: false, configurable: true });
put(globalThis, 'Function', NoFunction);
const wanted = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'InternalError', 'AggregateError',
  'Array', 'Object', 'Function', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI',
  'encodeURIComponent', 'escape', 'unescape', 'Infinity', 'NaN', 'undefined', 'Number', 'Boolean', 'String', 'Math', 'Symbol',
  'globalThis', 'Date', 'RegExp', 'JSON', 'Map', 'Set', 'WeakMap', 'WeakSet'];
for (const name of namesOf(globalThis)) {
  if (!apply(Array.prototype.includes, wanted, [name])) delete globalThis[name];
}
