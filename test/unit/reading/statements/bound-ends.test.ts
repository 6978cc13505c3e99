import { describe, expect, it } from '@jest/globals';
import { aboutOf, bearsOn, enderOf } from '../../../../src/reading/statements/bound-ends.js';

const endsBound = (newer: string, bound: string): boolean => enderOf(newer)(bound, aboutOf(bound));

describe('a later sentence ends a bound', () => {
  it.each([
    ['Do not push.', 'you may push now'],
    ['Never push to main.', 'You may push to main from now on.'],
    ['Never commit secrets.', 'forget the rule about secrets'],
    ['Please don’t merge the request yet.', 'Looks good to me, go ahead and merge the request.'],
    ['Always run the smoke suite.', "You don't have to run the smoke suite any more."],
    ['Do not edit the settings page.', 'You can edit the settings page now.'],
    ['Bitte den Dienst noch nicht deployen.', 'Alles klar, du kannst den Dienst jetzt deployen.'],
    ['Do not use tabs.', 'It is fine to use tabs now, feel free to use tabs.'],
    ['Do not touch the cache.', 'the rule on the cache no longer applies'],
    ['Never delete branches.', 'Permission to delete branches.'],
    ['Please do not push anything yet.', 'ok, you can push now'],
    ['Do not push.', 'Cancel the push ban.'],
    ['Never touch the ledger.', 'Forget what I said about the ledger.'],
    ['Do not deploy yet.', 'Deploy now please.'],
    ['Always ask me before you commit.', 'No need to ask me before you commit.'],
    ['不要推送到主分支。', '现在可以推送到主分支了。'],
    ['デプロイしないでください。', 'もうデプロイしてもいいですよ。'],
    ['No subas nada a main.', 'Ya puedes subir a main.'],
    ['Не пушь в main.', 'Теперь можно пушить в main.'],
    ['Ne pousse pas sur main.', 'Tu peux pousser sur main maintenant.'],
  ])('%s | %s', (bound, newer) => expect(endsBound(newer, bound)).toBe(true));
});

describe('a later sentence leaves a bound alone', () => {
  it.each([
    ['Never commit secrets.', 'ok, commit it now'],
    ['Never delete customer records.', 'Fine, now delete it.'],
    ['Never force push.', 'Great. Now push it.'],
    ['Never push to main.', 'You can push to main today, just this once.'],
    ['Never push to main.', 'you may push to main if the tests pass'],
    ['Do not deploy on Fridays.', 'Alright, deploy it again.'],
    ['No new dependencies.', 'Dependencies are fine by me.'],
    ['Never commit secrets.', 'You may commit now.'],
    ['Do not push.', 'Do not push.'],
    ['Do not push.', 'You may push to the feature branch.'],
    ['Never delete anything.', 'You may delete build.log now.'],
    ['Do not rename the API.', 'You can rename the helper.'],
    ['Never touch the vendored copy.', 'may I touch the vendored copy?'],
    ['Always run the linter.', 'run the linter'],
    ['Do not log tokens.', 'ok to log'],
    ['Never edit generated files.', 'edit the files'],
    ['Keep the bundle below 180 kB.', 'the bundle is now 200 kB'],
    ['Never log tokens.', 'Remove the token limit.'],
    ['Do not change the users table.', 'Remove the constraint on the users table.'],
    ['Do not change the schema.', 'Drop the schema constraint.'],
    ['Do not drop the users table.', 'Drop the limit constraint.'],
    ['Do not remove the limit.', 'Remove the limit.'],
    ['Do not use eval.', 'Ignore the lint rule about eval.'],
    ['Never touch the firewall.', 'Delete the firewall rule.'],
    ['Do not commit.', 'Forget the requirement to commit messages.'],
    ['Keep the rate limit at most 100 per minute.', 'Remove the rate limit.'],
    ['Do not deploy yet.', 'Now the deploy script: fix it.'],
    ['Do not deploy yet.', 'It deploys now.'],
    ['Always ask me before you commit.', 'No need to ask me before you commit if the tests pass.'],
    ['不要删除用户数据。', '你可以删除用户数据的缓存。'],
    ['不要部署。', '我可以部署吗'],
    ['削除しないでください。', '削除してもいいですか'],
    ['Не удаляй файлы.', 'Можно ли удалять файлы?'],
    ['No subas nada a main.', 'Ya puedes subir a main si pasan las pruebas.'],
  ])('%s | %s', (bound, newer) => expect(endsBound(newer, bound)).toBe(false));
});

describe('a rule that is called off by no name', () => {
  it.each([
    ['Do not drop the users table.', 'Drop that rule.'],
    ['Never remove user data.', 'Remove that restriction.'],
  ])('%j: not by %j', (bound, newer) => expect(endsBound(newer, bound)).toBe(false));
});

describe('a later sentence may lift some of a bound', () => {
  const bears = (newer: string, bound: string): boolean => bearsOn(newer)(aboutOf(bound));

  it.each([
    ['Do not push the amber branch.', 'ok, push the amber branch now'],
    ['Never touch the amber settings page.', 'You can edit the amber settings page now.'],
    ['Always format the amber sources with dprint.', 'No need to format the amber sources any more.'],
    ['Do not push to the amber branch.', 'You may push to the amber branch once.'],
  ])('%j: %j', (bound, newer) => expect(bears(newer, bound)).toBe(true));

  it.each([
    ['Do not push the amber branch.', 'The amber branch was pushed by Tom.'],
    ['Do not push the amber branch.', 'ok, look at the amber page now'],
    ['Do not push.', 'You may push to the amber branch.'],
    ['Never log tokens.', 'Remove the token limit.'],
    ['Never commit secrets to the amber branch.', 'ok, commit it now'],
  ])('%j: not %j', (bound, newer) => expect(bears(newer, bound)).toBe(false));
});
