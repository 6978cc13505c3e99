import { isDeepStrictEqual } from 'node:util';
import { NumberLiteral, copied, parseJson, parseSaid, writeJson } from '../../../src/transcript/index.js';

const KEPT = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '-1e400',
  '-0',
  '-0.0',
  '1.0',
  '0.10',
  '1E5',
  '1e5',
  '1e-7',
  '123456789.12345678901234567890',
];

test.each(KEPT)(
  '%s comes back as it was written, alone, in lists, in objects, beside words that say the same',
  (number) => {
    for (const text of [
      number,
      `[${number},1,"${number}",[${number}]]`,
      `{"a":${number},"b":{"${number}":${number}},"words":"the ${number}\\"${number}\\\\","c":0.5}`,
    ])
      expect(writeJson(parseJson(text))).toBe(text);
  },
);

test('numbers that a double writes back unchanged are plain numbers, as with JSON.parse', () => {
  const text = '{"a":[0,-1,1.5,1e+21,9007199254740991,5e-324,0.1],"b":{"c":null,"d":[true,false]},"e":"1.0"}';
  expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  expect(writeJson(parseJson(text))).toBe(text);
});

test('text of a client that imitates a number literal stays text', () => {
  const imitations = ['number as written 0: 5', 'number as written 1: 6', 'number as written 2: '];
  const text = `{"words":${JSON.stringify(imitations)},"number as written 3: 7":"number as written 3: 7","id":10000000000000000001}`;
  expect(writeJson(parseJson(text))).toBe(text);
});

test('text of a client that imitates a number literal with escapes stays text', () => {
  const text = String.raw`{"id":1.0,"words":"\u006eumber as written 0: }{"}`;
  expect(writeJson(parseJson(text))).toBe('{"id":1.0,"words":"number as written 0: }{"}');
});

test('fields keep their order, the last of two equal keys wins, and __proto__ is a field', () => {
  const text = '{"b":1.0,"__proto__":2.0,"a":{"__proto__":{"x":3.0}}}';
  const value = parseJson(text) as object;
  expect(writeJson(value)).toBe(text);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(writeJson(parseJson('{"a":1.0,"a":2.0}'))).toBe('{"a":2.0}');
});

test('invalid JSON is refused with the runtime’s own message', () => {
  for (const text of ['', '{', '[1.0', '01', '1.', '+1', '.5', '{"a":1.0,}', '"1.0']) {
    const own = (): unknown => JSON.parse(text);
    let words = '';
    try {
      own();
    } catch (error) {
      words = (error as Error).message;
    }
    expect(() => parseJson(text)).toThrow(words);
  }
});

test('nesting of 20,000 levels is read', () => {
  const depth = 20_000;
  const value = parseJson(`${'['.repeat(depth)}1.0${']'.repeat(depth)}`);
  let inner: unknown = value;
  for (let i = 0; i < depth; i++) inner = (inner as unknown[])[0];
  expect(inner).toBeInstanceOf(NumberLiteral);
});

test('a literal works as a number, is the nearest number to JSON.stringify, and is copied and compared by its digits', () => {
  const value = parseJson('{"id":12345678901234567891,"share":1.0}') as {
    id: NumberLiteral;
    share: NumberLiteral;
  };
  expect(Number(value.share) + 1).toBe(2);
  expect(JSON.stringify(value)).toBe('{"id":12345678901234567000,"share":1}');
  expect(writeJson(copied(value, { freeze: true }))).toBe('{"id":12345678901234567891,"share":1.0}');
  const near = parseJson('{"id":12345678901234567892,"share":1.0}');
  expect(isDeepStrictEqual(value, near)).toBe(false);
});

test('writes with an indent, and nothing for what JSON cannot say', () => {
  expect(writeJson(parseJson('{"a":[1.0]}'), 2)).toBe('{\n  "a": [\n    1.0\n  ]\n}');
  expect(writeJson(undefined)).toBeUndefined();
  expect(() => writeJson(1n)).toThrow(TypeError);
});

test('what was said is parsed up to 400 levels, whatever its texts hold; more is no JSON', () => {
  const nested = (levels: number): string =>
    `${'{"a":['.repeat(levels / 2)}"]}\\"["${']}'.repeat(levels / 2)}`;
  expect(parseSaid(nested(400))).toEqual(JSON.parse(nested(400)));
  expect(() => parseSaid(nested(402))).toThrow(SyntaxError);
  const wide = `[${'[],"[[[",'.repeat(1_000)}1]`;
  expect(parseSaid(wide)).toEqual(JSON.parse(wide));
  expect(() => parseSaid(`{"a":${'['.repeat(1_000)}`)).toThrow(SyntaxError);
});
