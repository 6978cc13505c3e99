import { describe, expect, it } from '@jest/globals';
import { bearingOf, overrules } from '../../../../src/outline/said/index.js';

const ends = (newer: string, older: string): boolean => overrules(bearingOf(newer), bearingOf(older));

describe('what a user says ends what he said before', () => {
  it.each([
    ['Do not push.', 'ok, push now'],
    ['Do not push yet.', 'Okay, you can push it.'],
    ['Please don’t push anything until I say so.', 'Looks good, go ahead and publish the branch.'],
    ['Never touch the billing module.', 'You may change the billing module now.'],
    ['Hands off the config folder.', 'ok, you can edit the config folder'],
    ['Leave the vendored parser alone.', 'Alright, modify the vendored parser.'],
    ['Don’t deploy to staging.', 'Deploy to staging now please.'],
    ['Do not merge this pull request.', 'can you merge it now?'],
    ['Always run the linter before you commit.', 'No need to run the linter any more.'],
    ['Always run the linter before you commit.', 'Stop running the linter.'],
    ['Always use npm for installing packages.', 'Use pnpm instead of npm.'],
    ['Use tabs for indentation.', 'Actually, use spaces for indentation.'],
    ['Keep at most 3 retries per request.', 'Keep at most 5 retries per request.'],
    ['Limit the log to 200 lines.', 'Limit the log to 500 lines.'],
    ['Write the docs in English.', 'From now on write the docs in German.'],
    ['Never delete the old migrations.', 'Forget what I said about the migrations.'],
    ['Bitte nicht pushen.', 'ok, jetzt pushen'],
    ['Ne pousse pas encore.', 'd’accord, tu peux pousser maintenant'],
    ['No subas los cambios.', 'ahora puedes subir los cambios'],
    ['不要推送代码。', '好的，现在推送吧。'],
    ['まだプッシュしないでください。', 'もうプッシュしていいです。'],
    ['Не пушь пока.', 'теперь можно push'],
  ])('%s … %s', (older, newer) => {
    expect(ends(newer, older)).toBe(true);
  });

  it.each([
    ['Do not push to main.', 'Push the branch feature-x.'],
    ['Never push to the release branch without asking me first.', 'ok, push now'],
    ['Do not push.', 'Did you push?'],
    ['Do not push.', 'Why is the push failing?'],
    ['Do not push.', 'Never push without a review.'],
    ['Never touch the billing module.', 'Go on with the parser module now.'],
    ['Always run the linter before you commit.', 'Now commit and push.'],
    ['Always run the linter before you commit.', 'Don’t run the linter on generated files.'],
    ['Keep the public API exactly as it is.', 'Now also keep a changelog.'],
    ['Do not add any dependency that is not MIT licensed.', 'Add a test for the parser.'],
    ['Answer in German.', 'Go on with item 14, please.'],
    ['Keep at most 3 retries per request.', 'Keep at most 200 lines per file.'],
    ['Use tabs for indentation.', 'Use the logger in the worker.'],
    ['Never restart the billing service.', 'Now on to the fixes. Start with 36.'],
    ['Never push the release branch.', 'Push.'],
    ['Rule 1: never rename the table ledger_1.', 'Rule 2: never rename the table ledger_2.'],
    [
      'Every function of the parser must have a doc comment.',
      'No need to format the parser sources any more.',
    ],
    [
      'The table parts_ledger is off limits.',
      'The cap tries to limit rows, so the limit doesn’t apply when the count is false.',
    ],
    [
      'Make sure that the changelog names each change.',
      'so we don’t need to update isGuarded when an agent is added?',
    ],
    [
      'Every public function must have a doc comment.',
      'Avoid flattery, do not give any comments that do not help the reader.',
    ],
    ['Only the maintainers may approve changes, so wait for them.', 'Can’t wait!'],
    [
      'Leave the vendored copy of the parser alone.',
      'I was glad to hear that I’m not alone and have friends around me.',
    ],
    ['Do not create branches, I want to be happy with one.', 'They make me so happy.'],
    ['Always take the outdoor tests along.', 'When work is non-stop, it’s hard to get outdoors.'],
    ['Always test module3 on node 18.', 'Always test module4 on node 20.'],
  ])('%s … stays after: %s', (older, newer) => {
    expect(ends(newer, older)).toBe(false);
  });
});
