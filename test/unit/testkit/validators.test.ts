import { formats } from '../../../src/formats/index.js';
import { validators } from '../../../src/testkit/index.js';

describe.each([...validators])('the validator of %s', (name, validate) => {
  const field = formats.get(name)!.messagesField;

  it('refuses a request without messages, as a list and as a body, as every provider does', () => {
    expect(validate([])).toHaveLength(1);
    expect(validate({ [field]: [] })).toHaveLength(1);
  });
});

it('a Responses request with only a stored prompt, or only an earlier response, is legal', () => {
  const validate = validators.get('openai-responses')!;
  for (const beside of [{ prompt: { id: 'pmpt_1' } }, { previous_response_id: 'resp_1' }])
    expect(validate({ ...beside, input: [] })).toEqual([]);
});
