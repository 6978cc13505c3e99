import { describe, expect, it } from '@jest/globals';
import { prose, says, step, system, user, type Chat } from '../support.js';
import { started, type Started } from '../service/support.js';
import { tab } from './browser.js';
import { look } from './support.js';

const BOUND = 'Never push to the release branch without asking me first.';
const ENDED = 'Do not touch the billing module.';

/** Bounds, a plan, a failing check and files, and behind them so much that they leave the request. */
function history(): readonly Chat[] {
  const todos = [
    { content: 'Lay the floor', status: 'completed' },
    { content: 'Hang the door', status: 'pending' },
  ];
  return [
    system('You build mills.'),
    user('Build the mill.'),
    user(`${BOUND} ${ENDED}`),
    says('I will not.'),
    ...step('TodoWrite', { todos }, 'ok'),
    ...step('write_file', { path: 'src/mill/door.ts', content: 'export const door = 1;' }, 'written'),
    ...step(
      'bash',
      { command: 'npm test' },
      'FAIL test/door.test.ts\nTests: 1 failed, 3 passed\nexit code 1',
    ),
    user('You may touch the billing module now.'),
    ...Array.from({ length: 40 }, (_, i) => [
      ...step('read_file', { path: `src/stone${i}.ts` }, prose(300, i)),
      says(`Stone ${i} is laid.`),
    ]).flat(),
    user('Go on.'),
  ];
}

async function carrying(): Promise<Started> {
  const service = await started(3_000);
  await service.ask('POST', '/sessions', { id: 'mill' });
  const messages = history();
  for (let count = 24; count < messages.length; count += 12) {
    const request = { model: 'm', messages: messages.slice(0, count) };
    await service.ask('POST', '/sessions/mill/prepare', { request });
    await service.ask('POST', '/sessions/mill/observe', { input_tokens: 900, output_tokens: 9 });
  }
  return service;
}

describe('what is carried', () => {
  it('N7 K15: is shown with the message that says it, and what ended what was taken back', async () => {
    const service = await carrying();
    const { body } = await service.ask('GET', '/sessions/mill/claims');
    const of = (text: string): any => body.items.find((claim: any) => claim.text.includes(text));
    expect(of(BOUND)).toMatchObject({ kind: 'constraint', status: 'live', isSent: false });
    expect(of(ENDED)).toMatchObject({
      status: 'superseded',
      endedBy: expect.stringContaining('billing module'),
    });
    expect(body.files).toEqual([expect.objectContaining({ path: 'src/mill/door.ts', state: 'created' })]);
    expect(body.carried.tokens).toBeGreaterThan(0);

    const page = await tab();
    await look(page, service, 'sessions/mill/primary/carried');
    const bounds = page.getByRole('region', { name: 'Bounds', exact: true });
    await bounds.getByText(BOUND).waitFor();
    expect(await bounds.textContent()).not.toContain(ENDED);
    await bounds.getByRole('button', { name: /says: Never push/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(`${BOUND} ${ENDED}`).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });

    await page.getByRole('region', { name: 'Open steps' }).getByText('Hang the door').waitFor();
    await page.getByRole('region', { name: 'Changed files' }).getByText('src/mill/door.ts').waitFor();
    await page.getByRole('region', { name: 'Failing checks' }).getByText('npm test').waitFor();
    const ended = page.getByRole('region', { name: 'No longer held' });
    await ended.getByText(ENDED).waitFor();
    await ended.getByText(/ended by: .*billing module now/).waitFor();
    await page.getByText('As it is sent').click();
    await page.getByText(/Carried from messages that were compacted/).waitFor();
    await bounds.getByRole('link', { name: /left in c/ }).click();
    await page.getByRole('button', { name: 'Keep judgement' }).waitFor();
  });

  it('N7 K15: an operator ends a bound by keyboard, sees who did and why, and brings it back', async () => {
    const service = await carrying();
    const page = await tab();
    await look(page, service, 'sessions/mill/primary/carried');
    const bounds = page.getByRole('region', { name: 'Bounds', exact: true });
    await bounds.getByRole('button', { name: /^End: Never push/ }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(BOUND).waitFor();
    expect(await dialog.textContent()).toContain('the next compaction leaves these words out');
    await dialog.getByRole('textbox', { name: 'Why' }).fill('the branch is gone');
    await dialog.getByRole('button', { name: 'End it' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    const over = page.getByRole('region', { name: 'No longer held' });
    await over.getByText(/ended by local .*the branch is gone/).waitFor();
    expect(await bounds.getByText(BOUND).count()).toBe(0);
    const { body } = await service.ask('GET', '/sessions/mill/claims');
    const bound = body.items.find(({ text }: any) => text === BOUND);
    expect(bound.ended).toMatchObject({ by: 'local', notes: 'the branch is gone' });

    await service.ask('POST', '/sessions/mill/prepare', {});
    await service.ask('POST', '/sessions/mill/observe', { input_tokens: 900, output_tokens: 9 });
    await look(page, service, 'sessions/mill/primary/ask/release%20branch');
    const finding = page.getByRole('region', { name: 'Finding' });
    await finding
      .getByText(/ended by local .*the branch is gone/)
      .first()
      .waitFor();
    await look(page, service, 'sessions/mill/primary/events');
    await page.getByText('claim-ended').first().waitFor();

    await look(page, service, 'sessions/mill/primary/carried');
    await over.getByRole('button', { name: /^Bring back: Never push/ }).click();
    await dialog.getByRole('button', { name: 'Bring it back' }).click();
    await bounds.getByText(BOUND).waitFor();
    // What words ended is not an operator's to bring back.
    expect(await over.getByRole('button', { name: /^Bring back/ }).count()).toBe(0);
    expect(page.complaints).toEqual([]);
  });

  it('R10: words are found however they are written', async () => {
    const service = await carrying();
    const { body } = await service.ask('GET', '/sessions/mill/find?words=never%20PUSH%20to%20the%20Release');
    expect(body.said.map(({ id }: any) => id)).toEqual(['m2']);
  });
});
