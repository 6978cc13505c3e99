import { RuleBroken, type ContractRule } from '../rule.js';
import { checkChains } from './chains.js';
import { checkSessions } from './sessions.js';
import type { StageSubject } from './subject.js';
import { sweepOf, type Sighting } from './sweep.js';

/** One rule, put to a stage with sessions to try it on. */
export type StageRule = ContractRule<StageSubject>;

/** What a stage is held to. The pipeline refuses, edit by edit, whatever breaks 05 to 12: a session is never harmed. */
export const STAGE_RULES: readonly StageRule[] = [
  {
    id: 'STAGE-01',
    intent: 'has a name in lower case, one sentence for operators, and options that parse from nothing',
    check: ({ stage }) => {
      if (!/^[a-z][a-z0-9-]*$/.test(String(stage.name)))
        throw new RuleBroken(`the name is ${String(stage.name)}`);
      if (typeof stage.summary !== 'string' || stage.summary.trim() === '')
        throw new RuleBroken('there is no summary');
      if (typeof stage.options?.parse !== 'function') throw new RuleBroken('options is no schema');
      stage.options.parse({});
    },
  },
  seen('STAGE-02', 'plans whatever it is shown: no history and no goal makes it throw', 'threw'),
  seen('STAGE-03', 'answers at once with a list of edits, each with a reason', 'no-proposal'),
  seen('STAGE-04', 'writes to nothing it is shown: view and goal may be frozen', 'wrote'),
  refused(
    'STAGE-05',
    'names only messages and parts that are in view',
    /not in the log|already superseded|edits part|not in view|ends before/,
  ),
  refused(
    'STAGE-06',
    'leaves alone what is pinned, held, open or not yet answered',
    /which is (pinned|held|open|unanswered)/,
  ),
  refused(
    'STAGE-07',
    'cuts what no request has carried yet to size at most, or the agent repeats the call',
    /unseen|before any request/,
  ),
  refused('STAGE-08', 'takes exchanges whole: a call is never parted from its results', /splits/),
  refused(
    'STAGE-09',
    'puts into a place only what can stand there: arguments stay JSON, nobody gets other words into the mouth',
    /puts into the place|leaves the arguments|puts other words/,
  ),
  refused(
    'STAGE-10',
    'speaks for a span as the assistant, without calls, under ids of its own',
    /replaces a span by|gives a replacement/,
  ),
  refused('STAGE-11', 'makes the view smaller with every edit', /would not shrink/),
  refused('STAGE-12', 'touches nothing twice in one proposal', /twice|overlaps/),
  seen(
    'STAGE-13',
    'proposes the same for the same view and goal, whatever other sessions it has seen',
    'differs',
  ),
  seen('STAGE-14', 'has nothing more to propose right behind its own edits', 'again'),
  seen('STAGE-15', 'keeps as state only plain JSON, which survives a restart', 'state'),
  {
    id: 'STAGE-16',
    intent:
      'works in any order with the built-in stages: after each one pairs are whole and every request is legal in every format',
    check: checkChains,
  },
  {
    id: 'STAGE-17',
    intent:
      'lets sessions live through 1, 3, 10 and 34 compactions on end: the log is whole, requests are legal, none grows',
    check: checkSessions,
  },
  seen(
    'STAGE-18',
    'where it says how much it could free, frees no more, or a run that would have helped is never started',
    'understated',
  ),
];

function seen(id: string, intent: string, kind: Sighting['kind']): StageRule {
  return rule(id, intent, (one) => one.kind === kind);
}

function refused(id: string, intent: string, words: RegExp): StageRule {
  return rule(id, intent, (one) => one.kind === 'refused' && words.test(one.what));
}

function rule(id: string, intent: string, breaks: (sighting: Sighting) => boolean): StageRule {
  return {
    id,
    intent,
    check: (subject) => {
      const broken = sweepOf(subject).filter(breaks);
      if (broken.length > 0) throw new RuleBroken(`${broken.length} times, first: ${broken[0]!.what}`);
    },
  };
}
