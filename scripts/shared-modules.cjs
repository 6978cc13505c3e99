// Jest's runtime, with one copy of `src` and of packages for all files of a worker. Modules under `test` are loaded
// anew for each file: docs/decisions/0063-one-copy-of-src-for-a-worker.md. CommonJS, because Jest requires it.
const { realpathSync } = require('node:fs');
const { join, sep } = require('node:path');
const { SourceTextModule } = require('node:vm');
const Runtime = require('jest-runtime').default;

/** Jest names modules by their real paths; a copy of the tree may link to its packages (`test/mutations`). */
const FOLDERS = ['src', 'node_modules'].map((folder) => realpathSync(join(__dirname, '..', folder)) + sep);
/** Jest's own packages hold state of the running file, so they are not shared. */
const OF_JEST = /[\\/]node_modules[\\/](?:@jest|jest|jest-[a-z-]+|expect)[\\/]/;
/** On a Node that loads modules synchronously, Jest uses another code path, which this file does not change. */
const LOADS_AT_ONCE = typeof SourceTextModule?.prototype.hasAsyncGraph === 'function';

/** The runtime that loads shared modules. It outlives every file. */
let shared;
/** Modules that are loaded or being loaded, by path. */
const loaded = new Map();
/** Loads run one after another: a module that two loads link at once would wait for itself. */
let last = Promise.resolve();

const isShared = (path) => FOLDERS.some((folder) => path.startsWith(folder)) && !OF_JEST.test(path);

function once(path, environment, load) {
  if (!loaded.has(path)) {
    const loading = last.then(() => environment.constructor.keepingGlobals(load));
    last = loading.catch(() => {});
    loaded.set(path, loading);
  }
  return loaded.get(path);
}

/** Keeps globals also for shared modules that import others while they run. */
function keepGlobals(loader, environment) {
  if (Object.hasOwn(loader, 'linkAndEvaluateModule')) return;
  const { linkAndEvaluateModule } = loader;
  loader.linkAndEvaluateModule = (module) =>
    environment.constructor.keepingGlobals(() => linkAndEvaluateModule.call(loader, module));
}

class SharedModules extends Runtime {
  constructor(config, environment, resolver, transformer, files, coverage, path, globalConfig) {
    super(config, environment, resolver, transformer, files, coverage, path, globalConfig);
    const { watch, watchAll, collectCoverage } = globalConfig;
    // In watch mode `src` changes while this process lives; coverage is counted per file.
    if (LOADS_AT_ONCE || watch || watchAll || collectCoverage) return;
    shared ??= new Runtime(
      config,
      new environment.constructor(
        { globalConfig, projectConfig: config },
        { console, docblockPragmas: {}, testPath: path },
      ),
      resolver,
      transformer,
      new Map(),
      coverage,
      path,
      globalConfig,
    );
    keepGlobals(shared.esmLoader, environment);
    this.transformCache.sourceMaps = shared.transformCache.sourceMaps;
    const { esmLoader: all } = shared;
    const { esmLoader: own } = this;
    const { loadEsmModule, loadCjsAsEsm } = own;
    own.loadEsmModule = (file, suffix = '') =>
      isShared(file) && suffix === ''
        ? once(file, environment, async () => all.linkAndEvaluateModule(await all.loadEsmModule(file)))
        : loadEsmModule.call(own, file, suffix);
    own.loadCjsAsEsm = (from, file, suffix, context) =>
      isShared(file)
        ? once(file, environment, async () =>
            all.linkAndEvaluateModule(await all.loadCjsAsEsm(from, file, suffix, context)),
          )
        : loadCjsAsEsm.call(own, from, file, suffix, context);
  }
}

module.exports = { __esModule: true, default: SharedModules };
