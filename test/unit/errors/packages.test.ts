import { checkVersion, missingPackage, requirePackage } from '../../../src/errors/index.js';

const fault = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a package that is not installed', () => {
  it.each([
    [
      'import()',
      fault('ERR_MODULE_NOT_FOUND', "Cannot find package 'libsql' imported from /app/spillway/a.js"),
    ],
    [
      'require()',
      fault('MODULE_NOT_FOUND', "Cannot find module 'libsql'\nRequire stack:\n- /app/bundle.cjs"),
    ],
  ])('is reported with the command that installs it, from the error of %s', (_way, error) => {
    const missing = missingPackage(error, 'store sqlite:./a.db')!;
    expect(missing.code).toBe('PACKAGE_MISSING');
    expect(missing.message).toContain('store sqlite:./a.db');
    expect(missing.message).toContain('npm install libsql@0.5');
    expect(missing.cause).toBe(error);
  });

  it.each([
    ['another package', fault('MODULE_NOT_FOUND', "Cannot find module 'left-pad'")],
    ['a name of every object', fault('MODULE_NOT_FOUND', "Cannot find module 'constructor'")],
    ['another fault', fault('ERR_DLOPEN_FAILED', "Cannot find module 'libsql'")],
  ])('is not reported for %s', (_what, error) => {
    expect(missingPackage(error, 'store')).toBeUndefined();
  });

  it('is reported before it is used', () => {
    expect(() => requirePackage('pg-boss', 'the queue')).not.toThrow();
    expect(() => requirePackage('no-such-package', 'the queue')).toThrow('no-such-package');
  });

  it('may be installed in a version that does not do, and then says which ones do', () => {
    expect(() => checkVersion('langchain', 'an agent')).not.toThrow();
    expect(() => checkVersion('ai', 'a summarizer')).not.toThrow();
    expect(() => checkVersion('no-such-package', 'the queue')).not.toThrow();
  });
});
