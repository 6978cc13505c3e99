import { filesBelow, read } from './source.js';

const files = filesBelow('page/src', /\.tsx?$/);
const lines = files.flatMap((file) =>
  read(`page/src/${file}`)
    .split('\n')
    .map((line) => ({ file, line })),
);
const matching = (pattern: RegExp) => lines.filter(({ line }) => pattern.test(line));

describe('the page', () => {
  it('takes types of the service, and no line of it', () => {
    const imports = matching(/from '(?:\.\.\/)+src\//);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter(({ line }) => !line.startsWith('import type '))).toEqual([]);
  });

  it('shows what was said as text: no markup is ever made of it', () => {
    expect(matching(/innerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\(/i)).toEqual([]);
  });

  it('names no other origin', () => {
    expect(matching(/https?:\/\/(?!127\.0\.0\.1)/)).toEqual([]);
  });
});
