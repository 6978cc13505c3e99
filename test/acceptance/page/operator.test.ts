import { resolve } from 'node:path';
import type { Started } from '../service/support.js';
import { tab } from './browser.js';
import { barriers } from '../../support/chromium.js';
import { look, withSession } from './support.js';

let service: Started;
beforeAll(async () => {
  service = await withSession({
    plugins: [resolve('test', 'acceptance', 'plugins', 'packages', 'notes')],
  });
});

const DEMO = 'sessions/demo/primary';
const REWORDED = 'The mill was built; the weir was left alone.';

describe('the Compactor page, for an operator', () => {
  it('K15: shows all sessions with their figures, and opens one', async () => {
    const page = await tab();
    await look(page, service);
    const row = page.getByRole('row', { name: /demo/ });
    const { body } = await service.get('/sessions/demo');
    expect(await row.getByRole('meter').getAttribute('aria-valuetext')).toContain(
      `of ${body.reading.budget.tokens.toLocaleString('en-US')} tokens`,
    );
    expect(await row.textContent()).toContain(body.savedTokens.toLocaleString('en-US'));
    const effect = (await service.get('/effect')).body;
    const panel = page.getByRole('region', { name: 'Effect of compactions' });
    expect(await panel.textContent()).toContain(
      `${(100 * (1 - effect.tokensAfter / effect.tokensBefore)).toFixed(1)}% freed`,
    );
    const spread = await panel.getByRole('img').getAttribute('aria-label');
    expect(spread).toContain(`${effect.summaryTokens.length} values`);
    await row.getByRole('link', { name: 'demo' }).click();
    await page.getByRole('heading', { name: /demo/ }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('K15 R10: shows the pressure of each call, what fired at which gate, and the context as a call was sent', async () => {
    const page = await tab();
    await look(page, service, DEMO);
    const { body } = await service.get('/sessions/demo/compactions?limit=500');
    const chart = page.getByRole('img', { name: /Pressure of 49 calls/ });
    expect(await chart.getAttribute('aria-label')).toContain(`${body.total} compactions`);
    const strip = page.getByRole('list', { name: 'What fired at which call' });
    await page.getByText('What fired at which gate').click();
    await strip.getByText('0.98').waitFor();
    for (const gate of ['snip0.80', 'micro0.84', 'collapse0.88', 'auto0.92', 'partial0.95', 'full0.98'])
      expect(await strip.textContent()).toContain(gate);
    const ran = body.items.flatMap((one: any) => one.plan.stages).length;
    expect(await strip.getByRole('link').count()).toBe(ran);

    const box = (await chart.locator('.u-over').boundingBox())!;
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.getByRole('heading', { name: /As call \d+ was sent/ }).waitFor();
    const number = /call (\d+)/.exec(
      (await page.getByRole('heading', { name: /As call/ }).textContent())!,
    )![1];
    const then = await service.get(`/sessions/demo/context?call=${number}`);
    await page.getByText(`as the model saw it · ${then.body.messages.length} messages`).waitFor();
    await page.getByRole('link', { name: 'Back to now' }).first().click();
    await page.getByText('as the model sees it').waitFor();
  });

  it('K11 K15: shows the log next to the context, folds superseded messages, and opens an original', async () => {
    const page = await tab();
    await look(page, service, DEMO);
    const { body } = await service.get('/sessions/demo/log?limit=500');
    const gone = body.items.find(({ status }: any) => status === 'superseded');
    const whole = await service.get(`/sessions/demo/messages/${gone.id}`);
    const span = page.getByRole('button', { name: /messages m2 … m\d+/ }).first();
    expect(await span.textContent()).toContain(gone.by.reason);
    expect(await page.getByRole('button', { name: new RegExp(`^assistant ${gone.id}\\b`) }).count()).toBe(0);
    await span.click();
    await page
      .getByRole('button', { name: new RegExp(`${gone.role} ${gone.id} superseded`) })
      .first()
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('heading', { name: /As it was written/ }).waitFor();
    const [first] = whole.body.parts;
    await drawer
      .getByText((first.text ?? first.arguments).slice(0, 40))
      .first()
      .waitFor();
    for (const { text, arguments: words } of whole.body.parts)
      expect(await drawer.textContent()).toContain(text ?? words);
    expect(await drawer.textContent()).toContain(`Compaction ${gone.record}`);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('switch', { name: 'Changed only' }).click();
    expect(await page.locator('.pair').count()).toBeLessThan(10);
  });

  it('K12 K14: keeps a judgement of a compaction with notes, and shows what compactions cost', async () => {
    const page = await tab();
    await look(page, service, `${DEMO}/compactions/c3`);
    await page.getByText('Bad', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Notes on c3' }).fill('the weir is gone');
    await page.getByRole('button', { name: 'Keep judgement' }).click();
    await page.getByTitle('the weir is gone').waitFor();
    const { body } = await service.get('/sessions/demo/compactions/c3');
    expect(body.record).toMatchObject({ flag: 'bad', notes: 'the weir is gone' });
    expect(await page.getByText('Primary').first().isVisible()).toBe(true);
    expect(await page.getByText('Compactor', { exact: true }).first().isVisible()).toBe(true);
  });

  it('N2 K15: previews a compaction, rewords an edit, measures it again, and commits exactly that plan', async () => {
    const page = await tab();
    await look(page, service, `${DEMO}/compact`);
    await page.getByRole('combobox', { name: 'Strategy' }).click();
    await page.getByRole('option', { name: 'Summarize' }).click();
    await page.getByRole('textbox', { name: 'Down to' }).fill('0.3');
    await page.getByRole('button', { name: 'Preview' }).click();
    const edits = page.getByRole('list', { name: 'Edits of the plan' });
    await edits.waitFor();
    await edits.locator('summary').last().click();
    await edits.getByRole('button', { name: 'Reword' }).last().click();
    await edits.getByRole('textbox').fill(REWORDED);
    expect(await page.getByRole('button', { name: 'Commit this plan' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Measure again' }).click();
    await page.getByText('Your changes are not measured yet.').waitFor({ state: 'hidden' });
    await page.getByText('The context as it would be').click();
    await page.getByText(REWORDED).last().waitFor();
    const before = (await service.get('/sessions/demo/compactions')).body.total;
    await page.getByRole('button', { name: 'Commit this plan' }).click();
    await page.getByText(/^Committed as c\d+$/).waitFor();
    const { body } = await service.get('/sessions/demo/compactions?limit=1&full=true');
    expect(body.total).toBe(before + 1);
    expect(JSON.stringify(body.items[0].plan.edits)).toContain(REWORDED);
    const context = await service.get('/sessions/demo/context');
    expect(JSON.stringify(context.body.messages).includes(REWORDED)).toBe(true);
  });

  it('K10: undoes a compaction after asking, and releases what the undo holds', async () => {
    const page = await tab();
    const { body } = await service.get('/sessions/demo/compactions');
    const newest = body.items.find(({ status }: any) => status === 'committed').id;
    await look(page, service, `${DEMO}/compactions/${newest}`);
    await page.getByRole('button', { name: `Undo ${newest}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('undone', { exact: true }).waitFor();
    const undone = await service.get(`/sessions/demo/compactions/${newest}`);
    expect(undone.body.record.status).toBe('undone');
    await page.getByRole('button', { name: 'Release what undo holds' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('K10: says before an undo that the request would not fit, and after it how to go on', async () => {
    const own = await withSession();
    const page = await tab();
    await look(page, own, `${DEMO}/compactions/c3`);
    await page.getByRole('button', { name: 'Undo c3 and all later' }).click();
    const dialog = page.getByRole('dialog');
    const said = (await dialog.getByRole('alert').textContent())!;
    expect(said).toMatch(/would be [\d.]+%.*compacted again, and all holds are released/);
    const variant = (name: string): Promise<string> =>
      dialog.getByRole('button', { name }).evaluate((one: any) => one.dataset.variant);
    expect([await variant('Undo them'), await variant('Cancel')]).toEqual(['default', 'filled']);
    await dialog.getByRole('button', { name: 'Undo them' }).click();
    await page.getByText('The next call does not fit as it is.').waitFor();
    const { body } = await own.get('/sessions/demo');
    expect(said).toContain(`${(100 * body.reading.pressure).toFixed(1)}%`);
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await dialog.getByRole('button', { name: 'Release' }).click();
    await page.getByText('The next call does not fit as it is.').waitFor({ state: 'hidden' });
    expect((await own.get('/sessions/demo')).body.holds).toBe(0);
    expect((await own.post('/sessions/demo/prepare', {})).status).toBe(200);
    expect(page.complaints).toEqual([]);
  });

  it('K22: lets a plan wait in the inbox, where it is rejected with notes or approved', async () => {
    const page = await tab();
    await look(page, service, `${DEMO}/compact`);
    await page.getByRole('textbox', { name: 'Down to' }).fill('0.3');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Let it wait for approval' }).click();
    await page.getByText('It waits in the inbox').waitFor();
    await page.getByRole('link', { name: /^Inbox/ }).click();
    const waiting = page.getByRole('region', { name: 'Plan of demo' });
    await waiting.getByRole('textbox', { name: 'Notes' }).fill('too early');
    await waiting.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Nothing waits').waitFor();
    const { body: audit } = await service.get('/sessions/demo/audit?limit=3');
    expect(audit.items).toContainEqual(
      expect.objectContaining({
        kind: 'compaction.rejected',
        body: expect.objectContaining({ notes: 'too early' }),
      }),
    );

    // A plan that another client requests appears on the page.
    const { body: run } = await service.post('/sessions/demo/compact', {
      strategy: 'checkpoint',
      lower_threshold: 0.3,
    });
    await waiting.waitFor();
    expect(await page.getByRole('link', { name: /^Inbox/ }).textContent()).toBe('Inbox1');
    await waiting.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/Approved and committed as c\d+/).waitFor();
    const { body } = await service.get('/sessions/demo/compactions?limit=1&full=true');
    expect(body.items[0].plan.hash).toBe(run.plan.hash);
  });

  it('N18 R10 N11: says why the agent forgot something, shows the original, gives it back, and reports that it was seen', async () => {
    const page = await tab();
    const { body: log } = await service.get('/sessions/demo/log?limit=500');
    const { body: sent } = await service.get('/sessions/demo/context');
    const standing = JSON.stringify(sent.messages);
    // Words of the log that no message of the context holds any more.
    const lost = log.items
      .filter(({ status }: any) => status === 'superseded')
      .flatMap(({ preview }: any) => preview.match(/[a-z]{4,}(?: [a-z]{2,}){2,4}/g) ?? [])
      .find((words: string) => !standing.includes(words)) as string;
    await service.post('/sessions/demo/prepare', {});
    await service.post('/sessions/demo/observe', { input_tokens: 3_000, output_tokens: 1 });
    await look(page, service, `${DEMO}/ask`);
    await page.getByRole('textbox', { name: /What did the agent forget/ }).fill(lost);
    await page.keyboard.press('Enter');
    await page.getByText('Compacted out.').waitFor();
    const finding = page.getByRole('region', { name: 'Finding' });
    await finding.getByRole('table').getByRole('button').first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(lost).first().waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await drawer.getByRole('button', { name: 'Copy the words' }).click();
    await drawer.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => (globalThis as any).navigator.clipboard.readText())).toContain(lost);
    await page.keyboard.press('Escape');
    const passages = page.getByRole('region', { name: 'Passages' });
    await passages.getByText(lost.split(' ')[0]!).first().waitFor();
    expect(await passages.getByText(/, message \d+$/).count()).toBeGreaterThan(0);
    const undo = finding.getByRole('button', { name: /^Undo c\d+/ }).first();
    const give = finding.getByRole('button', { name: /^Give back m\d+/ }).first();
    const looksMain = (button: typeof give): Promise<boolean> =>
      button.evaluate((one: any) => one.dataset.variant === 'filled');
    expect([await looksMain(give), await looksMain(undo)]).toEqual([true, false]);
    await give.click();
    const given = page.getByRole('dialog');
    await given.getByText(/^\d[\d,]* tokens$/).waitFor();
    await given.getByText(/of the budget, in each request until a compaction removes/).waitFor();
    await given.getByText('What the model will read').click();
    await given.getByText(lost).last().waitFor();
    expect(await barriers(page)).toEqual([]);
    await given.getByRole('button', { name: /^Give (?:it|the beginning) back$/ }).click();
    await given.waitFor({ state: 'hidden' });
    const list = page.getByRole('region', { name: 'Given back' });
    await list.getByText('waits for the next request').waitFor();
    await finding.getByRole('table').getByRole('button').first().click();
    await drawer.getByText('waits for the next request').waitFor();
    await page.keyboard.press('Escape');
    await service.post('/sessions/demo/prepare', {});
    await list.getByText('sent, not answered yet').waitFor();
    await service.post('/sessions/demo/observe', { input_tokens: 3_000, output_tokens: 1 });
    await list.getByText('the model has seen it').waitFor();
    const { body: carried } = await service.get('/sessions/demo/context');
    expect(JSON.stringify(carried.messages.at(-1))).toContain(lost);
    await page.getByText('Not forgotten: sent.').waitFor();
    expect(await finding.getByRole('button', { name: /^Undo|^Give back/ }).count()).toBe(0);
  });

  it('R10 K10: undoes a compaction from the view that explains what was forgotten', async () => {
    const page = await tab();
    const own = await withSession();
    const { body: log } = await own.get('/sessions/demo/log?limit=500');
    const standing = JSON.stringify((await own.get('/sessions/demo/context')).body.messages);
    const lost = log.items
      .filter(({ status }: any) => status === 'superseded')
      .flatMap(({ preview }: any) => preview.match(/[a-z]{4,}(?: [a-z]{2,}){2,4}/g) ?? [])
      .find((words: string) => !standing.includes(words)) as string;
    await look(page, own, `${DEMO}/ask/${encodeURIComponent(lost)}`);
    const finding = page.getByRole('region', { name: 'Finding' });
    await finding
      .getByRole('button', { name: /^Undo c\d+/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Undo (?:it|them)$/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { body: now } = await own.get('/sessions/demo/context');
    expect(JSON.stringify(now.messages).includes(lost)).toBe(true);
  });

  it('K12 K15: changes a knob, compares before saving, shows who set it, reverts it, and refuses a bad value', async () => {
    const page = await tab();
    await look(page, service, 'knobs');
    await page.getByRole('textbox', { name: 'Find a knob' }).fill('snipThreshold');
    await page.getByRole('textbox', { name: 'thresholds.snipThreshold, as a number' }).fill('0.7');
    const changes = page.getByRole('region', { name: 'Changes that are not saved' });
    expect(await changes.textContent()).toContain('0.8 → 0.7');
    await changes.getByRole('button', { name: 'Save' }).click();
    await page.getByText('operator', { exact: true }).waitFor();
    const knob = async (): Promise<any> =>
      (await service.get('/knobs')).body.values.find(({ path }: any) => path === 'thresholds.snipThreshold');
    expect(await knob()).toMatchObject({ value: 0.7, own: true });
    await page.getByRole('button', { name: /Revert thresholds.snipThreshold/ }).click();
    await changes.getByRole('button', { name: 'Save' }).click();
    await page.getByText('default', { exact: true }).waitFor();
    expect(await knob()).toMatchObject({ value: 0.8, own: false });

    await page.getByRole('textbox', { name: 'thresholds.snipThreshold, as a number' }).fill('0.99');
    await changes.getByRole('button', { name: 'Save' }).click();
    await changes.getByRole('alert').waitFor();
    expect(await changes.getByRole('alert').textContent()).toMatch(/thresholds\.snipThreshold; found 0\.99/);
    expect(await knob()).toMatchObject({ value: 0.8 });
  });

  it('K12: empties a knob that may be empty, and reverts it to the configured value', async () => {
    const own = await withSession();
    const page = await tab();
    await look(page, own, 'knobs');
    const knob = async (): Promise<any> =>
      (await own.get('/knobs')).body.values.find(({ path }: any) => path === 'window');
    expect(await knob()).toMatchObject({ value: 5_000, own: false });
    await page.getByRole('button', { name: 'Empty window', exact: true }).click();
    const changes = page.getByRole('region', { name: 'Changes that are not saved' });
    expect(await changes.textContent()).toContain('5000 → empty');
    await changes.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Revert window to 5000' }).waitFor();
    expect(await knob()).toMatchObject({ value: null, own: true, before: 5_000 });
    await page.getByRole('button', { name: 'Revert window to 5000' }).click();
    await changes.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Empty window', exact: true }).waitFor();
    expect(await knob()).toMatchObject({ value: 5_000, own: false });
    const refused = await own.patch('/knobs', { empty: ['thresholds.snipThreshold'] });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'CONFIG_INVALID']);
  });

  it('K17: states limits of a model, shows what is in force, and forgets them', async () => {
    const page = await tab();
    await look(page, service, 'knobs');
    const models = page.getByRole('region', { name: 'Models', exact: true });
    await models.getByLabel('Model', { exact: true }).fill('mill-7b');
    await models.getByLabel('Context window').fill('32000');
    await models.getByLabel('Most output').fill('2000');
    await models.getByRole('button', { name: 'State limits' }).click();
    const row = models.getByRole('row', { name: /mill-7b/ });
    await row.getByText('32,000').waitFor();
    expect((await service.get('/models/mill-7b')).body).toMatchObject({
      contextWindow: 32_000,
      outputLimit: 2_000,
    });
    await row.getByRole('button', { name: 'Change mill-7b' }).click();
    await models.getByLabel('Context window').fill('16000');
    await models.getByRole('button', { name: 'State limits' }).click();
    await row.getByText('16,000').waitFor();
    await row.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await service.get('/models')).body.overrides).toEqual({});
  });

  it('K5 K15: draws the knobs of a plugin from its schema, and shows how long its hooks take', async () => {
    const page = await tab();
    await look(page, service, 'knobs');
    const group = page.getByRole('region', { name: 'Plugin notes' });
    await group.getByText('Most notes kept.').waitFor();
    const slider = group.getByRole('slider', { name: 'knobs.notes.most' });
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await group.getByRole('combobox', { name: 'knobs.notes.tone' }).click();
    await page.getByRole('option', { name: 'loud' }).click();
    const changes = page.getByRole('region', { name: 'Changes that are not saved' });
    expect(await changes.textContent()).toMatch(
      /knobs\.notes\.most 10 → 15.*knobs\.notes\.tone plain → loud/,
    );
    await changes.getByRole('button', { name: 'Save' }).click();
    await changes.waitFor({ state: 'hidden' });
    const { body } = await service.get('/knobs');
    const value = (path: string): unknown => body.values.find((one: any) => one.path === path).value;
    expect([value('knobs.notes.most'), value('knobs.notes.tone')]).toEqual([15, 'loud']);
    await look(page, service);
    await page
      .getByRole('region', { name: 'Effect of compactions' })
      .getByText('notes pre_compact')
      .waitFor();
  });

  it('K15: goes on after a session whose id fits in no address, and after a view that cannot be drawn', async () => {
    const other = await withSession();
    const torn = { sessionId: 'torn \ud800', agentPath: 'primary' };
    await other.store.write(torn, { messages: 0, entries: 0 }, { entries: [] });
    const page = await tab();
    await look(page, other);
    await page
      .getByRole('row', { name: /torn.*ARGUMENT_INVALID/ })
      .getByRole('link')
      .click();
    await page.getByText('SESSION_UNKNOWN').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('row', { name: /demo/ }).waitFor();

    const drawn = await tab();
    await drawn.route('**/api/v1/sessions?*', (route) => route.fulfill({ json: { items: [null] } }));
    await look(drawn, other);
    await drawn.getByText('Something went wrong on this page').waitFor();
    await drawn.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Inbox' }).click();
    await drawn.getByText('Nothing waits').waitFor();
  });
});
