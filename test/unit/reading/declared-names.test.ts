import { describe, expect, it } from '@jest/globals';
import { declaredNames } from '../../../src/reading/declared-names.js';

describe('names that written code declares', () => {
  it.each([
    ['export async function openSluice(gate) {', ['openSluice']],
    ['func (m *Mill) Turn(by int) error {', ['Turn']],
    ['class Wheel:\n    def turn_wheel(self):\n        pass', ['Wheel', 'turn_wheel']],
    ['pub struct Shaft;\nimpl Shaft { fn spin(&self) {} }', ['Shaft']],
    ['public static class GrainSack { }', ['GrainSack']],
    ['  private fun füllen(x: Int) = x', ['füllen']],
    ["  it('stops when the sluice is shut', () => {", ['stops when the sluice is shut']],
    ['interface A1b {}\ninterface A1b {}', ['A1b']],
  ])('%j', (code, names) => expect(declaredNames(code)).toEqual(names));

  it.each([
    'the function of the mill is to grind',
    'return new Wheel();',
    '// class act',
    'const type = interfaceOf(x);',
    'it(name, run)',
    'import type { Wheel } from "./wheel"',
  ])('none: %j', (code) => expect(declaredNames(code)).toEqual([]));

  it('looks at no more than the first lines of a file, and the heads of long ones', () => {
    expect(declaredNames(`${'\n'.repeat(400)}function late() {}`)).toEqual([]);
    expect(declaredNames(`${' '.repeat(200)}function far() {}`)).toEqual([]);
  });
});
