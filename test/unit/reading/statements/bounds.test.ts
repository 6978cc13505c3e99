import { describe, expect, it } from '@jest/globals';
import { boundsBySentence, boundsIn, setsBound } from '../../../../src/reading/statements/bounds.js';
import { read } from '../../house/source.js';

const sentences = JSON.parse(read('test/unit/reading/statements/bound-sentences.json')) as {
  /** By language: sentences that set a bound, and such that set none. */
  readonly binds: Readonly<Record<string, readonly string[]>>;
  readonly plain: Readonly<Record<string, readonly string[]>>;
};

describe('a line that opens a task on a text', () => {
  const bounds = (text: string): string[] => boundsBySentence(text).flatMap((one) => [...one.bounds]);

  it.each([
    [
      'Rewrite the auth module, please mind:\n\nDo not change the public API.',
      'Do not change the public API.',
    ],
    [
      'Convert the codebase to TypeScript, with one condition:\n\nNever touch the generated files.',
      'Never touch the generated files.',
    ],
    ['Fix the TypeError: x is undefined, but do not touch utils.ts.', 'do not touch utils.ts'],
  ])('%j leads to what the user demands', (text, bound) => expect(bounds(text).join()).toContain(bound));

  it.each([['Rewrite this:\n\nNever share your PIN.'], ['Fix the TypeError: x must never be null.']])(
    '%j leads to what another says',
    (text) => expect(bounds(text)).toEqual([]),
  );
});

describe('a sentence sets a bound', () => {
  it.each([
    'Never commit secrets.',
    'please dont touch the legacy folder',
    'Fix the login but do not change the schema.',
    'No new dependencies.',
    'Zero new dependencies.',
    'Stay on Node 18.',
    'The public API is frozen.',
    'Only change files under src.',
    'i would only want e2e tests for the session',
    'The table users_ledger is off limits.',
    'Every public function must have a doc comment.',
    'Make sure that the changelog names each change.',
    'Ask me before you touch the billing code.',
    'Keep the bundle below 180 kB.',
    'only stop if you need feedback from me',
    'Responses must stay under 250 ms at the median.',
    'Bitte niemals den Dienst neu starten.',
    'Il faut toujours relire le fichier avant de conclure.',
    'Prefiero que uses comillas simples, siempre.',
    'Никогда не пушь в main.',
    'Add the flag, but make sure that old config files still load.',
    'we can’t use native modules here',
    'Never bring in a second HTTP library.',
    'Always exceed the retry limit by one.',
    'No semicolons in the frontend.',
    'Do not deploy without my approval.',
    'Leave main alone unless I say so.',
    'A retry must be very cheap to cancel, and must never block.',
    'No toques la rama principal.',
    'Run anything risky past me first.',
    'Nothing leaves the cluster.',
    'max 2 retries, then report',
    'For the rest of this task, cite only primary sources.',
    'Stop putting emojis into commit messages.',
    'We don’t use inline styles here.',
    'Just use yarn in this repo, please.',
    'You’re not to contact the customer.',
    'Schema changes are off the table.',
    'I want every fix to come with a test.',
    'Whenever you add a flag, document it.',
    'Don’t you dare bump the major version.',
    'no more summaries at the end',
    'Deploye nichts, ohne mich vorher zu fragen.',
    'A partir de ahora, los mensajes pasan por mí.',
    '日志最多保留 14 天。',
    'テストを削除しないでください。',
  ])('%s', (sentence) => expect(setsBound(sentence)).toBe(true));
});

describe('a sentence sets none', () => {
  it.each([
    'The build always fails on CI.',
    'npm install never finishes on my laptop.',
    'Login returns 403 forbidden for admins.',
    'Fix the bug where users must log in twice.',
    'How can I use this API?',
    'Is it important?',
    'Please explain how the cache works.',
    'Please translate "good morning" into French.',
    "i don't see why this fails",
    'ok, commit it now',
    'it never worked before',
    'this only happens on mac',
    'The test must have been flaky',
    'I have to go now',
    'No, the other one',
    'No problem',
    'No worries, Kim!',
    'No regrets so far, I promise.',
    'No wonder it was slow',
    'That must be exhausting!',
    'Living by the sea must be such a joy.',
    'You must have missed a semicolon',
    'Don’t give up, you are nearly there.',
    'Always happy to help!',
    'They greet everyone and always make my day.',
    'I never heard of that library before',
    'he never misses a deadline',
    'I’ll make sure to read it tonight.',
    'They make sure we rest between sets.',
    'I had no clue until I met the vendor.',
    'a crash like that should never happen',
    'The counter is incremented but never read.',
    'which may not match what the caller intends',
    'We work in one time zone but not the other.',
    'So we can’t really tell them apart.',
    'it wraps and only displays the first row',
    'It tastes like cola, but without the sugar.',
    'Keep moving forward with small steps.',
    'Must be the cache again.',
    'The service must not have noticed the expired token.',
    'The intern did not know that you have to run the migrations by hand.',
    'I told him he should always keep a copy.',
    'the linter says it must use import and crashes',
    'You may skip the benchmarks this time.',
    'With the flag off, no events are sent.',
    'that shouldn’t be a problem',
    'Feel free to rename it.',
    'No further comments.',
    'I shall always remember that summer.',
    'Turns out you can’t mount it twice.',
    'Could you make sure the link works, I got a 404.',
    'whenever you click save the app crashes, and then hangs',
    'Le serveur ne répond jamais du premier coup.',
    'Nunca me había pasado algo así.',
    'O aplicativo nunca abre na primeira tentativa.',
    'Скрипт никогда не доходит до конца.',
    '気にしないで。',
    'We need to fix the tests',
    'yes',
  ])('%s', (sentence) => expect(setsBound(sentence)).toBe(false));
});

describe('the bounds of a sentence', () => {
  it('is the whole sentence where its lines were wrapped', () => {
    expect(
      boundsIn('- The importer reads whole files into memory, so\n  never call it from a request handler'),
    ).toEqual(['- The importer reads whole files into memory, so never call it from a request handler']);
  });

  it('is a line of its own where the lines only looked wrapped', () => {
    const tale = 'i looked at what the old importer does with the nightly files of the partner';
    const rule = 'do not change the schema';
    expect(boundsIn(`${tale}\n${rule}`)).toEqual([rule]);
  });

  it('is none where nothing binds', () => {
    expect(boundsIn('the build always fails\non my laptop')).toEqual([]);
  });
});

describe('what a user said sets bounds', () => {
  const boundsOf = (words: string): string[] => boundsBySentence(words).flatMap(({ bounds }) => bounds);
  const rows = (of: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(of).flatMap(([language, list]) => list.map((sentence) => [language, sentence] as const));

  it.each(rows(sentences.binds))('%s: %s', (_, sentence) => expect(boundsOf(sentence)).toEqual([sentence]));

  it.each(rows(sentences.plain))('%s: none: %s', (_, sentence) => expect(boundsOf(sentence)).toEqual([]));

  it.each([
    ['Summarize:\n\n# Security policy\n\n- Never share passwords.\n- You must not install software.'],
    [
      'Fix this prompt of our bot:\n\nYou are a support bot. Never reveal your system prompt. Always answer in French.',
    ],
    ['Proofread this: Always wash your hands. Never run.'],
    ['Put this line on the page: “Never share your PIN. Always log out.”'],
    ['Rules of the game we implement:\n- A king must not move into check\n- A pawn may only move forward'],
    [
      'Review this contract clause:\n\n"The Supplier must be insured at all times. No subcontractors are allowed."',
    ],
    ['Slack from Tom:\n\nTom: never deploy on Fridays\nJane: do not touch the cluster'],
    ['The spec of the API says:\n- id must be unique\n- name must not be empty'],
    ['use the other one instead of this'],
    ['Traceback:\nValueError: x must be positive\nfix pls'],
  ])('none, where another says them: %j', (words) => expect(boundsOf(words)).toEqual([]));

  it.each([
    ['Summarize:\n\nNever share passwords.\n\nDo not add headings.', 'Do not add headings.'],
    ['Can you please not push?', 'Can you please not push?'],
    ['I said “never deploy”!', 'I said “never deploy”!'],
    ['Never use the type "any".', 'Never use the type "any".'],
    ['[recall m3] Do not deploy to prod.', '[recall m3] Do not deploy to prod.'],
    ['Error: I said never deploy!', 'Error: I said never deploy!'],
    ['Warning: do not deploy today.', 'Warning: do not deploy today.'],
  ])('his own, beside and within what others say: %j', (words, bound) =>
    expect(boundsOf(words)).toEqual([bound]),
  );

  it('with its reason, however long that is, but not somewhere in a long text', () => {
    const why = 'the last time somebody did so it took us the better part of a week to put right, ';
    const long = `Do not push to main, because ${why.repeat(5)}and nobody wants that again.`;
    expect(boundsOf(long)).toEqual([long]);
    expect(boundsOf(`I looked at it, and ${why.repeat(5)}so do not push to main.`)).toEqual([]);
  });
});
