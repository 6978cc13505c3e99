// A Jest environment in Node's own context, as the product runs. In a `vm` context each access to a global (`Math`,
// `JSON`, `Map`) is a call out of the engine: docs/decisions/0055-tests-in-nodes-own-context.md.
// After each test file the environment restores what the file changed in the process.
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** The marker that Jest passes to `node:vm` as the context. Tests never see it. */
const HERE = Object.freeze({});
/** The symbol under which Jest keeps event handlers: Jest's own and a test file's would share one list. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

const { SourceTextModule, SyntheticModule, compileFunction } = vm;
const { runInContext } = vm.Script.prototype;

/** Options of `node:vm` without the named context if it is `HERE`, so that Node uses its own context. */
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

/** Globals of modules that all files share (`shared-modules.cjs`). They stay, because such a module sets them once. */
const KEPT = new Set();

/**
 * The collection that the SQLite store runs as it closes. A full one, with Jest in the heap, takes 90 ms of processor
 * time; a minor one is enough, because a test's statements are young. A test of the store without it deletes it.
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

  /** Loads a module that all files share, and keeps the globals that it sets. */
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

/** Returns a function that restores the present globals, environment variables and listeners of the process. */
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
