import { formats } from '../../../src/formats/index.js';
import { validators } from '../../../src/testkit/index.js';

describe.each([...validators])('the validator of %s', (name, validate) => {
  const field = formats.get(name)!.messagesField;

  it('takes no request that holds no message, bare or in a body: no provider does', () => {
    expect(validate([])).toHaveLength(1);
    expect(validate({ [field]: [] })).toHaveLength(1);
  });
});

it('a request of nothing but a stored prompt, or of an earlier response, is one all the same', () => {
  const validate = validators.get('openai-responses')!;
  for (const beside of [{ prompt: { id: 'pmpt_1' } }, { previous_response_id: 'resp_1' }])
    expect(validate({ ...beside, input: [] })).toEqual([]);
});
