// Second part: the Java classes that published script rules use, as far as they have to do with lists, maps and texts.
class JavaException extends Error {
  getMessage() { return this.message; }
}
function exception(name) {
  const type = { [name]: class extends JavaException {} }[name];
  put(type.prototype, 'name', 'java.lang.' + name);
  return type;
}
const RuntimeException = exception('RuntimeException');
const IllegalArgumentException = exception('IllegalArgumentException');
const IllegalStateException = exception('IllegalStateException');
const IndexOutOfBoundsException = exception('IndexOutOfBoundsException');
const UnsupportedOperationException = exception('UnsupportedOperationException');
const NoSuchElementException = exception('NoSuchElementException');
const NumberFormatException = exception('NumberFormatException');
const NullPointerException = exception('NullPointerException');

function equal(a, b) {
  if (a === b) return true;
  if (a === null || a === undefined) return b === null || b === undefined;
  return typeof a === 'object' && typeof a.equals === 'function' && a.equals(b) === true;
}
function show(value) {
  return value === undefined ? 'null' : String(value);
}
function natural(a, b) {
  if (typeof a === 'object' && a !== null && typeof a.compareTo === 'function') return a.compareTo(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
// callable turns a script's function, or an object with one method as Java has them, into a function.
function callable(f) {
  if (typeof f === 'function') return f;
  if (f !== null && typeof f === 'object') {
    for (const name of ['test', 'apply', 'accept', 'compare', 'get', 'applyAsInt']) {
      if (typeof f[name] === 'function') return function (a, b) { return f[name](a, b); };
    }
  }
  throw new TypeError('a function is expected');
}
function each(source, visit) {
  if (source === null || source === undefined) throw new NullPointerException('collection is null');
  if (typeof source[Symbol.iterator] === 'function') { for (const value of source) visit(value); return; }
  const copy = list(source, 'collection');
  for (let i = 0; i < copy.length; i++) visit(copy[i]);
}

class JavaIterator {
  #values; #at = 0; #remove;
  constructor(values, remove) { this.#values = values; this.#remove = remove; }
  hasNext() { return this.#at < this.#values.length; }
  next() {
    if (this.#at >= this.#values.length) throw new NoSuchElementException('iterator is at its end');
    return this.#values[this.#at++];
  }
  remove() { this.#remove(this.#values[this.#at - 1]); }
}

class ArrayList extends Array {
  constructor(source) {
    super();
    if (source === undefined || source === null) return;
    if (typeof source !== 'number') { this.addAll(source); return; }
    if (source < 0) throw new IllegalArgumentException('Illegal Capacity: ' + source);
  }
  #check(i) {
    if (!(i >= 0 && i < this.length)) throw new IndexOutOfBoundsException('Index: ' + i + ', Size: ' + this.length);
    return Math.trunc(i);
  }
  size() { return this.length; }
  get empty() { return this.length === 0; }
  isEmpty() { return this.length === 0; }
  get(i) {
    if (!(i >= 0 && i < this.length)) this.#check(i);
    return this[i];
  }
  getFirst() { return this.get(0); }
  getLast() { return this.get(this.length - 1); }
  set(i, value) { const old = this[this.#check(i)]; this[i] = value; return old; }
  add(first, second) {
    if (arguments.length < 2) { this.push(first); return true; }
    if (first !== this.length) this.#check(first);
    this.splice(first, 0, second);
  }
  addFirst(value) { this.add(0, value); }
  addLast(value) { this.push(value); }
  addAll(first, second) {
    const added = [];
    each(arguments.length < 2 ? first : second, function (value) { added.push(value); });
    if (arguments.length < 2) { for (let i = 0; i < added.length; i++) this.push(added[i]); }
    else for (let i = 0; i < added.length; i++) this.splice(first + i, 0, added[i]);
    return added.length > 0;
  }
  remove(what) {
    if (typeof what === 'number') { const old = this[this.#check(what)]; this.splice(what, 1); return old; }
    const i = this.indexOf(what);
    if (i >= 0) this.splice(i, 1);
    return i >= 0;
  }
  removeIf(f) {
    f = callable(f);
    const before = this.length;
    this.#replace(function (value) { return !f(value); });
    return this.length !== before;
  }
  #replace(keep) {
    const kept = [];
    for (let i = 0; i < this.length; i++) if (keep(this[i])) kept.push(this[i]);
    this.length = 0;
    for (let i = 0; i < kept.length; i++) this.push(kept[i]);
  }
  removeAll(other) { return this.removeIf(function (value) { return holds(other, value); }); }
  retainAll(other) { return this.removeIf(function (value) { return !holds(other, value); }); }
  clear() { this.length = 0; }
  contains(value) { return this.indexOf(value) >= 0; }
  containsAll(other) {
    let all = true;
    each(other, (value) => { if (!this.contains(value)) all = false; });
    return all;
  }
  indexOf(value) {
    for (let i = 0; i < this.length; i++) if (equal(value, this[i])) return i;
    return -1;
  }
  lastIndexOf(value) {
    for (let i = this.length - 1; i >= 0; i--) if (equal(value, this[i])) return i;
    return -1;
  }
  subList(from, to) {
    if (!(from >= 0 && to <= this.length && from <= to)) throw new IndexOutOfBoundsException('subList ' + from + ' to ' + to + ' of ' + this.length);
    const out = new ArrayList();
    for (let i = from; i < to; i++) out.push(this[i]);
    return out;
  }
  toArray() { return plain(this); }
  iterator() { const self = this; return new JavaIterator(plain(this), function (value) { self.remove(self.lastIndexOf(value)); }); }
  listIterator() { return this.iterator(); }
  stream() { return new Stream(plain(this)); }
  parallelStream() { return this.stream(); }
  sort(f) { return apply(nativeSort, list(this, 'sort'), [f === undefined || f === null ? natural : callable(f)]); }
  replaceAll(f) { f = callable(f); for (let i = 0; i < this.length; i++) this[i] = f(this[i]); }
  equals(other) {
    if (!isArray(other) || other.length !== this.length) return false;
    for (let i = 0; i < this.length; i++) if (!equal(this[i], other[i])) return false;
    return true;
  }
  toString() {
    const parts = [];
    for (let i = 0; i < this.length; i++) parts.push(this[i] === this ? '(this Collection)' : show(this[i]));
    return '[' + parts.join(', ') + ']';
  }
}
class LinkedList extends ArrayList {}
class Vector extends ArrayList {}
function plain(values) {
  const out = [];
  for (let i = 0; i < values.length; i++) out.push(values[i]);
  return out;
}
function holds(collection, value) {
  if (typeof collection.contains === 'function') return collection.contains(value);
  return list(collection, 'contains').indexOf(value) >= 0;
}

class HashMap {
  #map = new Map();
  constructor(source) {
    if (source instanceof HashMap) source.forEach((key, value) => { this.#map.set(key, value); });
  }
  size() { return this.#map.size; }
  get empty() { return this.#map.size === 0; }
  isEmpty() { return this.#map.size === 0; }
  get(key) { const v = this.#map.get(key); return v === undefined ? null : v; }
  getOrDefault(key, value) { return this.#map.has(key) ? this.#map.get(key) : value; }
  containsKey(key) { return this.#map.has(key); }
  containsValue(value) { return this.values().contains(value); }
  put(key, value) { const old = this.get(key); this.#map.set(key, value); return old; }
  putIfAbsent(key, value) { const old = this.get(key); if (old === null) this.#map.set(key, value); return old; }
  putAll(other) { other.forEach((key, value) => { this.#map.set(key, value); }); }
  computeIfAbsent(key, f) {
    if (this.get(key) === null) this.#map.set(key, callable(f)(key));
    return this.get(key);
  }
  merge(key, value, f) {
    const old = this.get(key);
    this.#map.set(key, old === null ? value : callable(f)(old, value));
    return this.get(key);
  }
  remove(key) { const old = this.get(key); this.#map.delete(key); return old; }
  clear() { this.#map.clear(); }
  keySet() { return new LinkedHashSet(this.ordered()); }
  values() { const out = new ArrayList(); for (const key of this.ordered()) out.push(this.#map.get(key)); return out; }
  entrySet() { const out = new ArrayList(); for (const key of this.ordered()) out.push(new Entry(key, this.#map.get(key))); return out; }
  forEach(f) { f = callable(f); for (const key of this.ordered()) f(key, this.#map.get(key)); }
  ordered() { return listOf(this.#map.keys()); }
  toString() {
    const parts = [];
    this.forEach(function (key, value) { parts.push(show(key) + '=' + show(value)); });
    return '{' + parts.join(', ') + '}';
  }
}
function listOf(source) {
  const out = new ArrayList();
  for (const value of source) out.push(value);
  return out;
}
class Entry {
  constructor(key, value) { this.key = key; this.value = value; }
  getKey() { return this.key; }
  getValue() { return this.value; }
  toString() { return show(this.key) + '=' + show(this.value); }
}
class LinkedHashMap extends HashMap {}
class ConcurrentHashMap extends HashMap {}
class TreeMap extends HashMap {
  ordered() { const keys = super.ordered(); keys.sort(); return keys; }
  firstKey() { return this.ordered().get(0); }
  lastKey() { return this.ordered().getLast(); }
}

class HashSet {
  #set = new Set();
  constructor(source) {
    if (source !== undefined && source !== null && typeof source !== 'number') this.addAll(source);
  }
  size() { return this.#set.size; }
  get empty() { return this.#set.size === 0; }
  isEmpty() { return this.#set.size === 0; }
  contains(value) { return this.#set.has(value); }
  containsAll(other) { let all = true; each(other, (value) => { if (!this.contains(value)) all = false; }); return all; }
  add(value) { const fresh = !this.#set.has(value); this.#set.add(value); return fresh; }
  addAll(other) { const before = this.size(); each(other, (value) => { this.#set.add(value); }); return this.size() !== before; }
  remove(value) { return this.#set.delete(value); }
  removeAll(other) { const before = this.size(); each(other, (value) => { this.#set.delete(value); }); return this.size() !== before; }
  retainAll(other) { return this.removeIf(function (value) { return !holds(other, value); }); }
  removeIf(f) {
    const before = this.size();
    f = callable(f);
    for (const value of this.ordered()) if (f(value)) this.#set.delete(value);
    return this.size() !== before;
  }
  clear() { this.#set.clear(); }
  ordered() { return listOf(this.#set); }
  [Symbol.iterator]() { return this.ordered()[Symbol.iterator](); }
  iterator() { return new JavaIterator(plain(this.ordered()), (value) => { this.#set.delete(value); }); }
  forEach(f) { f = callable(f); for (const value of this.ordered()) f(value); }
  toArray() { return plain(this.ordered()); }
  stream() { return new Stream(plain(this.ordered())); }
  toString() { return this.ordered().toString(); }
}
class LinkedHashSet extends HashSet {}
class TreeSet extends HashSet {
  ordered() { const values = super.ordered(); values.sort(); return values; }
  first() { return this.ordered().get(0); }
  last() { return this.ordered().getLast(); }
}

class Optional {
  #value;
  constructor(value) { this.#value = value === undefined ? null : value; }
  static of(value) { return new Optional(value); }
  static ofNullable(value) { return new Optional(value); }
  static empty() { return new Optional(null); }
  isPresent() { return this.#value !== null; }
  isEmpty() { return this.#value === null; }
  get() { if (this.#value === null) throw new NoSuchElementException('No value present'); return this.#value; }
  orElse(value) { return this.#value === null ? value : this.#value; }
  orElseGet(f) { return this.#value === null ? callable(f)() : this.#value; }
  ifPresent(f) { if (this.#value !== null) callable(f)(this.#value); }
  map(f) { return new Optional(this.#value === null ? null : callable(f)(this.#value)); }
  filter(f) { return new Optional(this.#value !== null && callable(f)(this.#value) ? this.#value : null); }
}

class Stream {
  #values;
  constructor(values) { this.#values = values; }
  static of() { return new Stream(plain(arguments)); }
  filter(f) { f = callable(f); const out = []; for (const v of this.#values) if (f(v)) out.push(v); return new Stream(out); }
  map(f) { f = callable(f); const out = []; for (const v of this.#values) out.push(f(v)); return new Stream(out); }
  mapToInt(f) { return this.map(f); }
  mapToLong(f) { return this.map(f); }
  mapToDouble(f) { return this.map(f); }
  mapToObj(f) { return this.map(f); }
  boxed() { return this; }
  flatMap(f) { f = callable(f); const out = []; for (const v of this.#values) f(v).forEach(function (x) { out.push(x); }); return new Stream(out); }
  peek(f) { f = callable(f); for (const v of this.#values) f(v); return this; }
  distinct() { return new HashSet(this.#values).stream(); }
  sorted(f) { const out = listOf(this.#values); out.sort(f); return new Stream(plain(out)); }
  limit(n) { return new Stream(this.#values.slice(0, n)); }
  skip(n) { return new Stream(this.#values.slice(n)); }
  forEach(f) { f = callable(f); for (const v of this.#values) f(v); }
  anyMatch(f) { f = callable(f); for (const v of this.#values) if (f(v)) return true; return false; }
  allMatch(f) { f = callable(f); for (const v of this.#values) if (!f(v)) return false; return true; }
  noneMatch(f) { return !this.anyMatch(f); }
  findFirst() { return new Optional(this.#values.length > 0 ? this.#values[0] : null); }
  findAny() { return this.findFirst(); }
  count() { return this.#values.length; }
  sum() { let n = 0; for (const v of this.#values) n += v; return n; }
  min(f) { const out = listOf(this.#values); out.sort(f); return new Optional(out.length > 0 ? out[0] : null); }
  max(f) { const out = listOf(this.#values); out.sort(f); return new Optional(out.length > 0 ? out[out.length - 1] : null); }
  reduce(first, f) {
    if (f === undefined) return new Optional(this.#values.length === 0 ? null : this.#values.reduce(callable(first)));
    let out = first;
    for (const v of this.#values) out = callable(f)(out, v);
    return out;
  }
  toArray() { return plain(this.#values); }
  toList() { return listOf(this.#values); }
  iterator() { return new JavaIterator(plain(this.#values), function () { throw new UnsupportedOperationException('remove'); }); }
  collect(collector) { return collector(this.#values); }
}
const Collectors = {
  toList: function () { return listOf; },
  toSet: function () { return function (values) { return new HashSet(values); }; },
  toCollection: function (f) { return function (values) { const out = f(); out.addAll(values); return out; }; },
  counting: function () { return function (values) { return values.length; }; },
  joining: function (separator) { return function (values) { return values.map(show).join(separator === undefined ? '' : separator); }; },
  groupingBy: function (f, then) {
    f = callable(f);
    return function (values) {
      const out = new HashMap();
      for (const v of values) out.computeIfAbsent(f(v), function () { return new ArrayList(); }).add(v);
      if (then !== undefined) for (const key of out.ordered()) out.put(key, then(plain(out.get(key))));
      return out;
    };
  },
  partitioningBy: function (f) {
    f = callable(f);
    return function (values) {
      const out = new HashMap();
      out.put(true, new ArrayList()); out.put(false, new ArrayList());
      for (const v of values) out.get(f(v) === true).add(v);
      return out;
    };
  },
  toMap: function (key, value) {
    return function (values) { const out = new HashMap(); for (const v of values) out.put(callable(key)(v), callable(value)(v)); return out; };
  },
};
class Random {
  nextInt(n) {
    if (n === undefined) return Math.floor(Math.random() * 4294967296) - 2147483648;
    if (!(n > 0)) throw new IllegalArgumentException('bound must be positive');
    return Math.floor(Math.random() * n);
  }
  nextDouble() { return Math.random(); }
  nextBoolean() { return Math.random() < 0.5; }
}
class ThreadLocalRandom extends Random {
  static current() { return new ThreadLocalRandom(); }
}
const Collections = {
  reverse: function (values) { values.reverse(); },
  sort: function (values, f) { values.sort(f === undefined ? null : f); },
  shuffle: function (values) {
    for (let i = values.length - 1; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)), v = values[i]; values[i] = values[j]; values[j] = v; }
  },
  swap: function (values, i, j) { const v = values.get(i); values.set(i, values.get(j)); values.set(j, v); },
  emptyList: function () { return new ArrayList(); },
  emptyMap: function () { return new HashMap(); },
  emptySet: function () { return new HashSet(); },
  singletonList: function (value) { return listOf([value]); },
  singleton: function (value) { return new HashSet([value]); },
  unmodifiableList: function (values) { return listOf(values); },
  addAll: function (values) { for (let i = 1; i < arguments.length; i++) values.add(arguments[i]); return arguments.length > 1; },
  min: function (values, f) { return new Stream(plain(listOf(values))).min(f).get(); },
  max: function (values, f) { return new Stream(plain(listOf(values))).max(f).get(); },
};
const Arrays = {
  asList: function (first) { return listOf(arguments.length === 1 && isArray(first) ? first : arguments); },
  stream: function (values) { return new Stream(plain(list(values, 'stream'))); },
  sort: function (values, f) { values.sort(f === undefined ? natural : callable(f)); },
  toString: function (values) { return listOf(values).toString(); },
};
const Objects = {
  equals: equal,
  isNull: function (value) { return value === null || value === undefined; },
  nonNull: function (value) { return value !== null && value !== undefined; },
  requireNonNull: function (value) { if (value === null || value === undefined) throw new NullPointerException('null'); return value; },
  toString: show,
};
class StringBuilder {
  #text = '';
  constructor(value) { if (typeof value === 'string') this.#text = value; }
  append(value) { this.#text += show(value); return this; }
  reverse() { this.#text = text(this.#text).split('').reverse().join(''); return this; }
  length() { return this.#text.length; }
  toString() { return this.#text; }
}
function integer(value, radix) {
  const s = String(value), base = radix === undefined ? 10 : radix;
  const n = parseInt(s, base);
  if (base === 10 ? !/^[-+]?[0-9]+$/.test(s) : isNaN(n)) throw new NumberFormatException('For input string: "' + s + '"');
  return n;
}
function decimal(value) {
  const n = Number(value);
  if (String(value).trim() === '' || isNaN(n) && String(value) !== 'NaN') throw new NumberFormatException('For input string: "' + value + '"');
  return n;
}
function numberClass(parse, more) {
  return Object.assign(function (value) { return parse(value); }, { valueOf: parse, toString: show, compare: natural }, more);
}
const Integer = numberClass(integer, { parseInt: integer, MAX_VALUE: 2147483647, MIN_VALUE: -2147483648, max: Math.max, min: Math.min });
const Long = numberClass(integer, { parseLong: integer, MAX_VALUE: 9223372036854775807, MIN_VALUE: -9223372036854775808 });
const Double = numberClass(decimal, { parseDouble: decimal, MAX_VALUE: Number.MAX_VALUE });
function truth(value) { return value === true || typeof value === 'string' && value.toLowerCase() === 'true'; }
const JavaBoolean = numberClass(truth, { parseBoolean: truth, TRUE: true, FALSE: false });
const JavaString = Object.assign(function (value) { return value === undefined ? '' : show(value); }, {
  valueOf: show,
  join: function (separator, values) { return listOf(isArray(values) || typeof values === 'object' ? values : plain(arguments).slice(1)).map(show).join(separator); },
});
const JavaMath = { abs: Math.abs, max: Math.max, min: Math.min, floor: Math.floor, ceil: Math.ceil, round: Math.round, random: Math.random,
  pow: Math.pow, sqrt: Math.sqrt, floorMod: function (a, b) { return ((a % b) + b) % b; } };
const silent = { println: function () {}, print: function () {}, printf: function () {} };
const System = { currentTimeMillis: function () { return Date.now(); }, nanoTime: function () { return Date.now() * 1e6; }, out: silent, err: silent };
class Matcher {
  #re; #text; #at = 0; #found = null;
  constructor(re, s) { this.#re = re; this.#text = s; }
  matches() { this.#found = new GuardedRegExp('^(?:' + this.#re + ')$').exec(this.#text); return this.#found !== null; }
  find() {
    const re = new GuardedRegExp(this.#re, 'g');
    re.lastIndex = this.#at;
    this.#found = re.exec(this.#text);
    this.#at = re.lastIndex;
    return this.#found !== null;
  }
  group(n) {
    if (this.#found === null) throw new IllegalStateException('No match found');
    const g = this.#found[n === undefined ? 0 : n];
    return g === undefined ? null : g;
  }
}
class Pattern {
  #re;
  constructor(re) { this.#re = re; new GuardedRegExp(re); }
  static compile(re) { return new Pattern(re); }
  static matches(re, s) { return s.matches(re); }
  matcher(s) { return new Matcher(this.#re, String(s)); }
}

// What Java's texts and numbers can do beyond the language's own.
const extend = function (prototype, methods) {
  for (const name of namesOf(methods)) put(prototype, name, methods[name]);
};
extend(String.prototype, {
  equals(other) { return String(this) === (typeof other === 'object' && other !== null ? String(other) : other); },
  equalsIgnoreCase(other) { return typeof other === 'string' && text(this).toLowerCase() === text(other).toLowerCase(); },
  contains(other) { return this.includes(other); },
  isEmpty() { return this.length === 0; },
  isBlank() { return this.trim() === ''; },
  strip() { return this.trim(); },
  compareTo(other) { return natural(String(this), String(other)); },
  matches(re) { return new GuardedRegExp('^(?:' + re + ')$').test(this); },
  replaceFirst(re, by) { return this.replace(new GuardedRegExp(re), by); },
  hashCode() { const s = text(this); let h = 0; for (let i = 0; i < s.length; i++) h = (Math.imul(31, h) + s.charCodeAt(i)) | 0; return h; },
});
extend(Number.prototype, {
  equals(other) { return Number(this) === other; },
  compareTo(other) { return natural(Number(this), other); },
  intValue() { return Math.trunc(this); },
  longValue() { return Math.trunc(this); },
  doubleValue() { return Number(this); },
  hashCode() { return Number(this) | 0; },
});
extend(Boolean.prototype, { equals(other) { return Boolean(this.valueOf()) === other; }, booleanValue() { return this.valueOf(); } });

const classes = {
  'java.util': { ArrayList, LinkedList, Vector, HashMap, LinkedHashMap, TreeMap, HashSet, LinkedHashSet, TreeSet, Collections, Arrays, Objects, Optional, Random, NoSuchElementException },
  'java.util.concurrent': { ConcurrentHashMap, ThreadLocalRandom, CopyOnWriteArrayList: ArrayList },
  'java.util.stream': { Collectors, Stream },
  'java.util.regex': { Pattern },
  'java.lang': { String: JavaString, Integer, Long, Double, Boolean: JavaBoolean, Math: JavaMath, System, StringBuilder, StringBuffer: StringBuilder, Exception: RuntimeException,
    RuntimeException, IllegalArgumentException, IllegalStateException, IndexOutOfBoundsException, UnsupportedOperationException, NumberFormatException, NullPointerException },
};
const classNames = new Map();
const packagePaths = new WeakMap();
for (const path of Object.keys(classes)) {
  for (const name of Object.keys(classes[path])) {
    if (!classNames.has(classes[path][name])) classNames.set(classes[path][name], path + '.' + name);
  }
}
function missing(name) {
  return new ReferenceError('Java class ' + name + ' is not available to script rules: there are lists, maps, sets, streams and texts of java.util and java.lang');
}
function classOf(name) {
  const dot = name.lastIndexOf('.');
  const found = dot > 0 ? classes[name.slice(0, dot)] : undefined;
  if (found === undefined || !Object.hasOwn(found, name.slice(dot + 1))) throw missing(name);
  return found[name.slice(dot + 1)];
}
// javaPackage returns an object that stands for a package; asking it for a class that is not there says so.
function javaPackage(path) {
  const known = new Map();
  const target = function () { throw missing(path); };
  const proxy = new ProxyOf(target, {
    get(_, name) {
      if (typeof name === 'symbol' || name === 'prototype') return undefined;
      if (name === 'toString') return function () { return '[JavaPackage ' + path + ']'; };
      const full = path === '' ? name : path + '.' + name;
      if (classes[path] !== undefined && Object.hasOwn(classes[path], name)) return classes[path][name];
      if (!/^[a-z_]/.test(name)) throw missing(full);
      if (!known.has(name)) { if (known.size > 64) throw missing(full); known.set(name, javaPackage(full)); }
      return known.get(name);
    },
    set() { return false; },
    defineProperty() { return false; },
    construct() { throw missing(path); },
  });
  packagePaths.set(proxy, path);
  return proxy;
}
function packageClasses(p) {
  const path = packagePaths.get(p);
  if (path === undefined) throw new TypeError('importPackage expects a Java package');
  if (classes[path] === undefined) throw new ReferenceError('Java package ' + path + ' is not available to script rules');
  return classes[path];
}
for (const name of ['java', 'javax', 'org', 'com', 'net']) put(globalThis, name, javaPackage(name));
put(globalThis, 'Packages', javaPackage(''));
put(globalThis, 'importPackage', function importPackage() {
  for (const p of arguments) {
    const found = packageClasses(p);
    for (const name of Object.keys(found)) if (!Object.hasOwn(globalThis, name)) globalThis[name] = found[name];
  }
});
put(globalThis, 'importClass', function importClass() {
  for (const c of arguments) {
    const full = classNames.get(c);
    if (full === undefined) throw new TypeError('importClass expects a Java class');
    const name = full.slice(full.lastIndexOf('.') + 1);
    if (!Object.hasOwn(globalThis, name)) globalThis[name] = c;
  }
});
put(globalThis, 'JavaImporter', function JavaImporter() {
  const out = {};
  for (const p of arguments) Object.assign(out, packagePaths.has(p) ? packageClasses(p) : { [classNames.get(p).split('.').pop()]: p });
  return out;
});
put(globalThis, 'Java', {
  type: classOf,
  from: function (values) { return values === null ? null : plain(listOf(values)); },
  to: function (values) { return plain(list(values, 'Java.to')); },
});
put(globalThis, 'load', function load(name) {
  if (name !== 'nashorn:mozilla_compat.js') throw new TypeError('a script rule cannot load ' + text(name));
});
put(globalThis, 'print', function print() {});
put(globalThis, 'println', function println() {});
