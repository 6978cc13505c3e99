import { SpillwayError } from '../../../src/errors/index.js';

it.each([
  [
    'a number that JSON does not know, in an object without a prototype',
    Object.assign(Object.create(null) as object, { big: 1n }),
  ],
  ['one whose toJSON throws', { toJSON: () => JSON.parse('{'), toString: () => JSON.parse('{') }],
])('says a fault about a value that cannot be written: %s', (_what, found) => {
  const error = new SpillwayError('ARGUMENT_INVALID', { subject: 'input', found, remedy: 'Give a text.' });
  expect(error.message).toBe('ARGUMENT_INVALID: input; found something that has no text. Give a text.');
});
