import { SignatureBook } from '../../support/signature-book.js';
import { assistant, result, text, thinking, use, user, type Loose } from '../formats/anthropic/bodies.js';

const first = { system: 'Be brief.', messages: [user(text('Go.'))] };
const step = assistant(thinking('one'), use('a'));
const second = { ...first, messages: [...first.messages, step, user(result('a'))] };
const answer = assistant({ type: 'redacted_thinking', data: 'ZW5j' }, text('Done.'));
const third = { ...first, messages: [...second.messages, answer, user(text('And?'))] };

function book(): SignatureBook {
  const made = new SignatureBook();
  made.answered(first, step);
  made.answered(second, answer);
  return made;
}

const after = (change: (body: Loose) => void): string[] => {
  const body = structuredClone(third) as Loose;
  change(body);
  return book()
    .judge(body)
    .map(({ rule, at, inOpenLoop }) => `${rule} at ${at}${inOpenLoop ? ' open' : ''}`);
};

describe('the book of signatures', () => {
  it('finds no fault if each request extends the last, except for cache marks', () => {
    expect(after(() => undefined)).toEqual([]);
    expect(after(({ messages }) => (messages[0].content[0].cache_control = { type: 'ephemeral' }))).toEqual(
      [],
    );
  });

  it('reports all thinking after a change of a message or of the system prompt', () => {
    expect(after((body) => (body.system = 'Be long.'))).toEqual(['A5 at 1', 'A5 at 3']);
    expect(after(({ messages }) => (messages[2].content[0].content = 'stub'))).toEqual(['A5 at 3']);
  });

  it('reports thinking whose text has changed', () => {
    expect(after(({ messages }) => (messages[1].content[0].thinking = 'two'))).toContain('A4 at 1');
  });

  it('does not report thinking that is removed, but reports later thinking', () => {
    expect(after(({ messages }) => messages[3].content.shift())).toEqual([]);
    expect(after(({ messages }) => messages[1].content.shift())).toEqual(['A5 at 3']);
  });

  it('marks a fault in the tool loop in progress', () => {
    const open = { ...second, system: 'Changed.' };
    expect(book().judge(open)).toMatchObject([{ rule: 'A5', at: 1, inOpenLoop: true }]);
  });
});
