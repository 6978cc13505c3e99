import { tellingLines } from '../../../../src/text/reading/telling-lines.js';

describe('the telling lines of written code', () => {
  it.each([
    "import { gate } from './gates/gate.js';",
    "import type { Gate, Wheel } from '../../types/all.js';",
    'from mill.gates import open_gate, close_gate',
    "const gates = require('./gates/all.js');",
    "export { openGate } from './gates/gate.js';",
    '#include "gates/gate.h"',
    'use mill::gates::{open_gate, close_gate};',
    '"github.com/mill/gates/internal"',
    'mill "github.com/mill/gates/internal"',
    "require_relative 'gates/gate_keeper'",
  ])('leave out what only brings in others: %s', (line) => {
    expect(tellingLines(`${line}\n// The gate is mirrored.\n`, 500)).toBe('// The gate is mirrored.');
  });

  it.each([
    '"the gate stands open",',
    "throw new Error('import the gates first');",
    '// import comes later on',
  ])('keep what only looks like it: %s', (line) => expect(tellingLines(line, 500)).toBe(line));

  it('are cut between characters, never within one', () => {
    for (const blanks of [2, 3]) {
      const said = tellingLines(`//${' '.repeat(blanks)}the wheel ${'😀'.repeat(100)}`, 500);
      expect(said).toMatch(/^\/\/ +the wheel 😀+$/u);
    }
  });

  it('take a constant of the file before a step inside a function', () => {
    const code = [
      'const MOST_GATES = 12;',
      'export function openGates(mill: Mill): void {',
      '  const opened = mill.gates;',
      '  let next = opened.at(0);',
      '}',
    ].join('\n');
    expect(tellingLines(code, 500)).toBe(
      'const MOST_GATES = 12;\nexport function openGates(mill: Mill): void {',
    );
  });
});
