import { SpillwayError } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { SAMPLES } from '../../support/samples.js';
import { engine } from '../support.js';

/** Values in place of a name, a text or an id: names that every object has, and an object on which `String` throws. */
const ODD: readonly unknown[] = ['constructor', { toString: 1 }, '__proto__', [{ toString: 1 }], 'toString'];

/** Copies of a body with all that a format knows. In each copy one value is odd. */
function* withOne(format: string): Generator<readonly [path: string, odd: unknown, body: unknown]> {
  const json = JSON.stringify(SAMPLES[format]![0]);
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(JSON.parse(json), []);
  for (const [at, path] of paths.entries()) {
    const body: unknown = JSON.parse(json);
    const holder = path.slice(0, -1).reduce((inner, key) => inner[key] as Holder, body as Holder);
    const odd = ODD[at % ODD.length];
    holder[path.at(-1)!] = odd;
    yield [path.join('.'), odd, body];
  }
}
type Holder = Record<string, unknown>;

describe.each(Object.keys(SAMPLES))('N1: values of the wrong kind anywhere in a body of %s', (format) => {
  it('are accepted, or refused by an error with a code', async () => {
    const one = await engine(4_000);
    for (const [path, odd, body] of withOne(format)) {
      const session = one.session({ format });
      const ended = await session
        .follow(body)
        .then(() => session.prepare())
        .catch((error: unknown) => error);
      if (!(ended instanceof Error) || ended instanceof SpillwayError) continue;
      expect([path, odd, ended.stack]).toEqual('an error with a code');
    }
  });

  it('are judged by the validator', () => {
    for (const [path, , body] of withOne(format))
      expect([path, validators.get(format)!(body)]).toEqual([path, expect.any(Array)]);
  });
});
