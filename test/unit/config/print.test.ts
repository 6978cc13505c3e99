import { printConfig, type ConfigEntry } from '../../../src/config/index.js';
import { load } from './support.js';

describe('printConfig', () => {
  it('aligns path = value # origin', async () => {
    const effective = await load({ env: { SPILLWAY_TARGET: '0.5' } });
    const lines = printConfig(effective).trimEnd().split('\n');
    // The last line says what several settings come to.
    expect(lines).toHaveLength(effective.entries.length + 1);
    expect(new Set(lines.map((line) => line.indexOf(' = '))).size).toBe(1);
    expect(lines.find((line) => line.startsWith('target '))).toMatch(/= 0\.5 +# env SPILLWAY_TARGET/);
    expect(lines.find((line) => line.startsWith('stages.snip.dialogue.turns'))).toMatch(
      /\(not set\) +# default: /,
    );
  });

  it('prints the same as JSON', async () => {
    const effective = await load();
    const entries = JSON.parse(printConfig(effective, { json: true })) as ConfigEntry[];
    expect(entries.map(({ path }) => path)).toEqual([
      ...effective.entries.map(({ path }) => path),
      'summarizer in force',
    ]);
    expect(entries.find(({ path }) => path === 'target')).toMatchObject({ value: 0.6, origin: 'default' });
  });
});
