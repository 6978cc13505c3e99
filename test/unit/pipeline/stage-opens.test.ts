import { stageOpens, type Escalation } from '../../../src/pipeline/index.js';

const gate = { stage: 's1', opensAt: 0.84 };

it.each<[string, number, Escalation, boolean, boolean]>([
  ['that is first opens above the target, whatever its gate', 0.61, 'gates', true, true],
  ['that is first stays shut at the target', 0.6, 'gates', true, false],
  ['that is first does the same under target', 0.61, 'target', true, true],
  ['opens at its gate', 0.84, 'gates', false, true],
  ['stays shut below its gate', 0.8399, 'gates', false, false],
  ['opens above the target where the target rules', 0.61, 'target', false, true],
  ['stays shut at the target where the target rules', 0.6, 'target', false, false],
])('a stage %s', (_name, pressure, escalation, first, opens) => {
  expect(stageOpens(pressure, gate, { escalation, target: 0.6, first })).toBe(opens);
});
