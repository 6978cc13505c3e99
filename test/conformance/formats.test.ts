import { formats } from '../../src/formats/index.js';
import { FORMAT_RULES, validators } from '../../src/testkit/index.js';
import { SAMPLES } from '../support/samples.js';

describe.each([...formats.values()].map((format) => ({ name: format.name, format })))(
  'the format $name',
  ({ name, format }) => {
    const validate = validators.get(name)!;
    it.each(FORMAT_RULES)('$id: $intent', async ({ check }) => {
      expect(validate).toBeDefined();
      await check({ format, validate, samples: SAMPLES[name]! });
    });
  },
);
