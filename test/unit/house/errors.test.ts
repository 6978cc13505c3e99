import { ERROR_CODES } from '../../../src/errors/index.js';
import { read } from './source.js';

it('docs/errors.md lists every code with its meaning', () => {
  const rows = read('docs/errors.md').matchAll(/^\| `([A-Z_]+)`\s*\| (.*?)\s*\|$/gm);
  expect(Object.fromEntries([...rows].map(([, code, meaning]) => [code, meaning]))).toEqual(ERROR_CODES);
});
