// Last part: providers, call and result. It closes over the two host functions, seals everything, and returns what Go calls.
let count = 0;
let columns = new Map();
let invokers = [];
let subset = null;
let subsetText = '';
let call = null;

// column returns one property of all providers, asked for once for each list of providers.
function column(kind, name) {
  const key = kind + name;
  let values = columns.get(key);
  if (values === undefined) {
    if ((columns.size + 1) * count > 1000000 || columns.size >= 256) columns = new Map();
    values = parseJSON(columnOf(kind, name));
    columns.set(key, values);
  }
  return values;
}
function converted(value, fallback) {
  if (typeof fallback === 'number') return decimal(value);
  if (typeof fallback === 'boolean') return truth(value);
  return value;
}
class JavaClass {
  constructor(name) { this.name = name; }
  getName() { return this.name; }
  getTypeName() { return this.name; }
  get simpleName() { return this.name.slice(this.name.lastIndexOf('.') + 1); }
  getSimpleName() { return this.simpleName; }
  equals(other) { return other instanceof JavaClass && other.name === this.name; }
  toString() { return this.name; }
}
// ReadMap is a map that a script can read, also as properties, and not change.
class ReadMap extends HashMap {
  put() { throw new UnsupportedOperationException('this map is read-only'); }
  putIfAbsent() { return this.put(); }
  putAll() { return this.put(); }
  merge() { return this.put(); }
  computeIfAbsent() { return this.put(); }
  remove() { return this.put(); }
  clear() { return this.put(); }
}
// readable makes a map from pairs; keys are properties too, and getName() reads the key "name".
function readable(pairs) {
  const source = new HashMap();
  for (let i = 0; i < pairs.length; i++) source.put(pairs[i][0], convert(pairs[i][1]));
  const view = new ReadMap(source);
  return new ProxyOf(view, {
    get(target, name) {
      if (typeof name === 'symbol') return undefined;
      if (target.containsKey(name)) return target.get(name);
      const member = target[name];
      if (typeof member === 'function') return function () { return apply(member, target, arguments); };
      if (member !== undefined) return member;
      const bean = /^(?:get|is)([A-Z])(.*)$/.exec(name);
      if (bean !== null) {
        const key = bean[1].toLowerCase() + bean[2];
        return function () { return target.get(key); };
      }
      return undefined;
    },
    has(target, name) { return typeof name === 'string' && target.containsKey(name); },
    set() { return false; },
    defineProperty() { return false; },
    deleteProperty() { return false; },
    setPrototypeOf() { return false; },
  });
}
// convert makes a value of a call from what Go sends: ["a", …] is an array, ["l", …] a list, ["m", [key, value], …] an object.
function convert(value) {
  if (!isArray(value)) return value;
  if (value[0] === 'm') return readable(apply(nativeSlice, value, [1]));
  const out = value[0] === 'l' ? new ArrayList() : [];
  for (let i = 1; i < value.length; i++) out.push(convert(value[i]));
  return out;
}

// Address is what consumer and provider URLs share.
class Address {
  getParameter(name, fallback) {
    const value = this.value('p', name);
    if (value === null || value === '' && fallback !== undefined) return fallback === undefined ? null : fallback;
    return converted(value, fallback);
  }
  getMethodParameter(method, name, fallback) {
    const value = this.value('p', method + '.' + name);
    return value === null || value === '' ? this.getParameter(name, fallback) : converted(value, fallback);
  }
  hasParameter(name) { const value = this.value('p', name); return value !== null && value !== ''; }
  getParameterAndDecoded(name, fallback) { const value = this.getParameter(name, fallback); return typeof value === 'string' ? decodeURIComponent(value) : value; }
  getParameters() { return readable(parseJSON(this.value('m', ''))); }
  getHost() { return this.value('h', ''); }
  getIp() { return this.value('h', ''); }
  getPort(fallback) { const port = this.value('n', ''); return port === 0 && fallback !== undefined ? fallback : port; }
  getAddress() { return this.value('d', ''); }
  getProtocol() { return this.value('s', ''); }
  getPath() { return this.value('t', ''); }
  getAbsolutePath() { const path = this.getPath(); return path === null ? null : '/' + path; }
  getUsername() { return this.value('u', ''); }
  getServiceInterface() { return this.value('i', ''); }
  getServiceKey() { return this.value('k', ''); }
  getGroup() { return this.getParameter('group'); }
  getVersion() { return this.getParameter('version'); }
  getCategory() { return this.getParameter('category'); }
  getSide() { return this.getParameter('side'); }
  getApplication() { return this.getParameter('application'); }
  getRemoteApplication() { return this.getParameter('remote.application'); }
  getAuthority() { return this.getAddress(); }
  toString() { return this.value('f', ''); }
  toFullString() { return this.toString(); }
  toServiceString() { return this.toString(); }
  hashCode() { return this.toString().hashCode(); }
  equals(other) { return other instanceof Address && other.toString() === this.toString(); }
}
class ProviderURL extends Address {
  #i;
  constructor(i) { super(); this.#i = i; }
  value(kind, name) { const values = column(kind, String(name)); return values === null ? null : values[this.#i]; }
}
class ConsumerURL extends Address {
  value(kind, name) { return column('c' + kind, String(name)); }
}
// beans lets x.host stand for x.getHost(), as Rhino and Nashorn have it.
function beans(type, names) {
  for (const name of names) {
    const bean = /^(?:get|is)(.)(.*)$/.exec(name);
    const key = bean[1].toLowerCase() + bean[2];
    define(type.prototype, key, { get: { [key]() { return this[name](); } }[key], configurable: true });
  }
}
class Invoker {
  #i; #url = null;
  constructor(i) { this.#i = i; }
  static index(value) { return typeof value === 'object' && value !== null && #i in value ? value.#i : -1; }
  getUrl() { return this.#url === null ? this.#url = Object.freeze(new ProviderURL(this.#i)) : this.#url; }
  getInterface() { return new JavaClass(this.getUrl().getServiceInterface()); }
  isAvailable() { return true; }
  isDestroyed() { return false; }
  equals(other) { return this === other; }
  hashCode() { return this.#i; }
  toString() { return this.getUrl().toString(); }
}
const consumer = Object.freeze(new ConsumerURL());

// fetch returns one part of the call, converted once.
function part(kind) {
  varies = true;
  if (call.parts[kind] === undefined) call.parts[kind] = convert(parseJSON(callOf(kind)));
  return call.parts[kind];
}
class Call {
  getMethodName() { varies = true; return call.method; }
  getArguments() { return part('arguments'); }
  getAttachments() { return part('attachments'); }
  getObjectAttachments() { return part('attachments'); }
  getAttachment(name, fallback) {
    const value = part('attachments').get(name);
    return value === null && fallback !== undefined ? fallback : value;
  }
  getObjectAttachment(name, fallback) { return this.getAttachment(name, fallback); }
}
class Invocation extends Call {
  getParameterTypes() { return part('types').map(function (name) { return new JavaClass(name); }); }
  getCompatibleParamSignatures() { return part('types'); }
  getServiceName() { return consumer.getServiceInterface(); }
  getTargetServiceUniqueName() { return consumer.getServiceKey(); }
  getProtocolServiceKey() { return consumer.getServiceKey(); }
  getInvoker() { return null; }
  toString() { return 'Invocation [methodName=' + this.getMethodName() + ']'; }
}
class Context extends Call {
  getUrl() { return consumer; }
  getConsumerUrl() { return consumer; }
  getLocalHost() { return consumer.getHost(); }
  getLocalAddressString() { return consumer.getAddress(); }
  isConsumerSide() { return true; }
  isProviderSide() { return false; }
}
beans(Address, ['getHost', 'getIp', 'getPort', 'getAddress', 'getProtocol', 'getPath', 'getAbsolutePath', 'getUsername', 'getParameters', 'getServiceInterface',
  'getServiceKey', 'getGroup', 'getVersion', 'getCategory', 'getSide', 'getApplication', 'getRemoteApplication']);
beans(Invoker, ['getUrl', 'getInterface', 'isAvailable']);
beans(Call, ['getMethodName', 'getArguments', 'getAttachments']);
beans(Invocation, ['getParameterTypes']);
beans(Context, ['getUrl', 'isConsumerSide', 'isProviderSide']);
const invocation = Object.freeze(new Invocation());
const context = Object.freeze(new Context());

const baseline = new Set(namesOf(globalThis));
for (const name of ['invokers', 'invocation', 'context']) baseline.add(name);

// clean takes out what a script left in the global object; false means that something would not go.
function clean() {
  const names = namesOf(globalThis);
  let ok = symbolsOf(globalThis).length === symbols;
  call = null;
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (baseline.has(name)) continue;
    const d = descriptor(globalThis, name);
    if (d.configurable) delete globalThis[name];
    else if (d.writable) globalThis[name] = undefined;
    else ok = false;
  }
  return ok;
}
const symbols = symbolsOf(globalThis).length;

function begin(method, chosen) {
  varies = false;
  if (chosen !== subsetText || subset === null) {
    subset = chosen === '*' ? invokers : [];
    if (chosen !== '*') subset = parseJSON(chosen).map(function (i) { return invokers[i]; });
    subsetText = chosen;
  }
  call = { method: method, parts: {} };
  const copy = new ArrayList();
  for (let i = 0; i < subset.length; i++) copy[i] = subset[i];
  const set = function (name, value) { define(globalThis, name, { value: value, writable: true, enumerable: true, configurable: true }); };
  set('invokers', copy);
  set('invocation', invocation);
  set('context', context);
}
// finish tells Go whether the machine is as it was, "+" or "-", whether the answer holds for every call, "=" or "~", and what the script gave: "n" null, "u" undefined, "t…" a wrong type, else "k" and the indices; -1 is no provider.
function finish(result) {
  let out;
  if (result === null) out = 'n';
  else if (result === undefined) out = 'u';
  else if (!isArray(result)) out = 't' + nameOf(result);
  else if (result.length > maxList) out = 'tlist of ' + result.length + ' entries';
  else {
    const indices = [];
    for (let i = 0; i < result.length; i++) indices[i] = Invoker.index(result[i]);
    out = 'k' + apply(nativeJoin, indices, [',']);
  }
  return (clean() ? '+' : '-') + (varies ? '~' : '=') + out;
}
function nameOf(value) {
  if (typeof value !== 'object') return typeof value === 'string' ? 'text' : typeof value;
  if (value instanceof HashSet || value instanceof HashMap) return 'java.util.' + value.constructor.name;
  return value instanceof Invoker ? 'one invoker' : 'object';
}
function bind(n) {
  count = n;
  columns = new Map();
  subset = null;
  subsetText = '';
  invokers = [];
  for (let i = 0; i < n; i++) invokers[i] = Object.preventExtensions(new Invoker(i));
}

// Seal: a script can change nothing that another call sees.
const sealed = new Set();
function seal(value) {
  if (value === null || typeof value !== 'object' && typeof value !== 'function' || sealed.has(value)) return;
  sealed.add(value);
  if (packagePaths.has(value)) return;
  for (const key of namesOf(value).concat(symbolsOf(value))) {
    const d = descriptor(value, key);
    if ('value' in d) seal(d.value); else { seal(d.get); seal(d.set); }
  }
  seal(prototypeOf(value));
  if (value !== globalThis) Object.freeze(value);
}
// A name of these prototypes can still be given to an object of one's own, although the prototype is frozen.
function assignable(prototype, names) {
  for (const name of names) {
    const value = prototype[name];
    define(prototype, name, { configurable: true, enumerable: false,
      get() { return value; },
      set(v) { if (this !== prototype) define(this, name, { value: v, writable: true, enumerable: true, configurable: true }); } });
  }
}
assignable(Object.prototype, ['toString', 'valueOf', 'constructor', 'hasOwnProperty', 'toLocaleString']);
assignable(Error.prototype, ['name', 'message', 'toString']);
for (const f of functionKinds) seal(f);
for (const value of [[][Symbol.iterator](), ''[Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), 'a'.matchAll(/a/g),
  Invoker, ProviderURL, ConsumerURL, Invocation, Context, JavaClass, ReadMap, Entry, Matcher, JavaIterator, Stream]) seal(value);
for (const path of Object.keys(classes)) seal(classes[path]);
seal(globalThis);
for (const name of namesOf(globalThis)) {
  const d = descriptor(globalThis, name);
  if (d.configurable) define(globalThis, name, { value: d.value, writable: false, enumerable: false, configurable: false });
}
return { begin, finish, clean, bind };
