import fc from 'fast-check';
import { atOnce, parseJson, parsingJson, writeJson } from '../../../src/transcript/index.js';

const LARGE = 140_000;

const outcome = (read: () => unknown): unknown => {
  try {
    return writeJson(read());
  } catch (error) {
    return (error as Error).constructor.name;
  }
};

const same = (text: string): void =>
  expect(outcome(() => atOnce(parsingJson(text)))).toEqual(outcome(() => parseJson(text)));

describe('long JSON, parsed in steps', () => {
  it.each([
    ['a list with a large member', `[1, "${'x'.repeat(LARGE)}", {"a": 2}]`],
    ['nothing before a large member', `[ , "${'x'.repeat(LARGE)}"]`],
    ['nothing behind a large member', `["${'x'.repeat(LARGE)}", ]`],
    ['a name that is said twice', `{"a": 1, "b": "${'x'.repeat(LARGE)}", "a": 2}`],
    ['a name without a value', `{"a" "${'x'.repeat(LARGE)}"}`],
    ['a value without a name', `{${' '.repeat(9)}["${'x'.repeat(LARGE)}"]}`],
    ['the name of the prototype', `{"__proto__": {"a": ["${'x'.repeat(LARGE)}"]}, "b": 1}`],
    ['names with escapes', `{"\\u0061\\"": "${'x\\"'.repeat(LARGE)}"}`],
    ['numbers as they were written', `[${'1.0,12345678901234567890,-0,'.repeat(9_000)}1e400]`],
    ['another end than its beginning', `[${'1,'.repeat(LARGE)}1}`],
    ['no end', `{"a": [${'1,'.repeat(LARGE)}1]`],
    ['more behind its end', `[${'1,'.repeat(LARGE)}1] 2`],
    ['blanks alone', `[${' '.repeat(LARGE)}]`],
    ['a comma at its end', `[${'1,'.repeat(LARGE)}]`],
    ['deep nesting', `${'['.repeat(LARGE)}${']'.repeat(LARGE)}`],
    ['a blank that JSON does not know', `[${'1,'.repeat(LARGE)}1]\u00a0`],
  ])('reads %s as `parseJson` does', (_, text) => same(text));

  it('reads whatever JSON can say as `parseJson` does, and what lacks a sign too', () => {
    const large = fc.json().map(
      (text) =>
        `{"m": [${Array(Math.ceil(LARGE / text.length))
          .fill(text)
          .join()}], "n": ${text}}`,
    );
    fc.assert(
      fc.property(large, fc.nat(), (text, at) => {
        same(text);
        same(text.slice(0, at % text.length) + text.slice((at % text.length) + 1));
      }),
      { numRuns: 12 },
    );
  });

  it('pauses often: between two pauses it reads no more than a few hundred thousand signs', () => {
    const text = JSON.stringify({
      messages: Array.from({ length: 40_000 }, (_, at) => ({ role: 'user', content: `x${at}` })),
    });
    let pauses = 0;
    for (const steps = parsingJson(text); !steps.next().done;) pauses++;
    expect(pauses).toBeGreaterThan(text.length / 100_000);
  });
});
