// Jest's environment without a context of its own: tests run in Node's, as the product does. In a `vm` context every look at
// a global (`Math`, `JSON`, `Map`) is a call out of the engine: docs/decisions/0055-tests-in-nodes-own-context.md.
// What a file changes in the process is put back behind it.
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Stands where Jest hands a context to `node:vm`; never an object of a test. */
const HERE = Object.freeze({});
/** Jest's event handlers, found by name: those of Jest itself and of one test file would be in one list. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

const { SourceTextModule, SyntheticModule, compileFunction } = vm;
const { runInContext } = vm.Script.prototype;

/** Options of `node:vm` without the context under this name, where it is ours: then Node takes its own. */
function here(name, options) {
  if (options?.[name] !== HERE) return options;
  const { [name]: _here, ...others } = options;
  return others;
}

vm.SourceTextModule = class extends SourceTextModule {
  constructor(text, options) {
    super(text, here('context', options));
  }
};
vm.SyntheticModule = class extends SyntheticModule {
  constructor(names, evaluate, options) {
    super(names, evaluate, here('context', options));
  }
};
vm.compileFunction = (text, parameters, options) =>
  compileFunction(text, parameters, here('parsingContext', options));
vm.Script.prototype.runInContext = function (context, options) {
  return context === HERE ? this.runInThisContext(options) : runInContext.call(this, context, options);
};

/** Globals that modules set which all files share (`shared-modules.cjs`): they set them once. */
const KEPT = new Set();

/**
 * What a store of SQLite finds as it closes, instead of a collection of its own. The whole heap, with Jest in it, takes 90 ms of a
 * processor each time, and statements of a test are young. A test of what the store finds without it deletes it.
 */
globalThis.gc = () => collect({ type: 'minor' });
const collect = collector();

function collector() {
  setFlagsFromString('--expose-gc');
  const found = vm.runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found;
}

export default class BareEnvironment extends TestEnvironment {
  #before;

  /** Loads what all files share; the globals that come with it stay. */
  static async keepingGlobals(load) {
    const before = new Set(Reflect.ownKeys(globalThis));
    try {
      return await load();
    } finally {
      for (const name of Reflect.ownKeys(globalThis)) if (!before.has(name)) KEPT.add(name);
    }
  }

  constructor(config, context) {
    super(config, context);
    this.#before = remembered();
    delete globalThis[HANDLERS];
    const { moduleMocker, fakeTimersModern } = this;
    this.global = globalThis;
    this.moduleMocker = new moduleMocker.constructor(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new fakeTimersModern.constructor({
      config: config.projectConfig,
      global: globalThis,
    });
  }

  getVmContext() {
    return HERE;
  }

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.#before();
    await super.teardown();
  }
}

/** Returns what puts the process back as it is now: its globals, its environment, its listeners. */
function remembered() {
  const properties = [globalThis, process].map((object) => [
    object,
    Object.getOwnPropertyDescriptors(object),
  ]);
  const env = { ...process.env };
  const { exitCode } = process;
  const listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    for (const [object, before] of properties) putBack(object, before);
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exitCode = exitCode;
    for (const name of process.eventNames()) {
      const before = listeners.get(name) ?? [];
      for (const listener of process.rawListeners(name))
        if (!before.includes(listener)) process.off(name, listener);
    }
  };
}

function putBack(object, before) {
  const isNew = (name) => !(name in before) && !(object === globalThis && KEPT.has(name));
  for (const name of Reflect.ownKeys(object)) if (isNew(name)) Reflect.deleteProperty(object, name);
  for (const name of Reflect.ownKeys(before)) {
    const now = Object.getOwnPropertyDescriptor(object, name);
    const { value, get } = before[name];
    if (now?.value !== value || now?.get !== get) Reflect.defineProperty(object, name, before[name]);
  }
}
