import { RuleBroken, type ContractRule } from '../rule.js';
import {
  checkExtension,
  checkForeignInput,
  checkIdentity,
  checkLegal,
  checkNothingLost,
  checkNotices,
  checkPure,
  checkUnknownFields,
} from './checks.js';
import { checkCalls, checkSamples } from './carries.js';
import { checkMemory } from './memory-check.js';
import { checkReader } from './reader-check.js';
import type { FormatSubject } from './subject.js';

/** The rules for a wire format. FORMAT-07 concerned a writer that formats no longer have. */
export const FORMAT_RULES: readonly ContractRule<FormatSubject>[] = [
  {
    id: 'FORMAT-01',
    intent: 'has a name in lower case and says which field of the body holds the messages',
    check: ({ format: { name, messagesField } }) => {
      if (!/^[a-z][a-z0-9-]*$/.test(String(name))) throw new RuleBroken(`the name is ${String(name)}`);
      if (typeof messagesField !== 'string' || messagesField === '')
        throw new RuleBroken('messagesField is missing');
    },
  },
  {
    id: 'FORMAT-02',
    intent: 'refuses input without messages of its own, with INPUT_FORMAT',
    check: checkForeignInput,
  },
  {
    id: 'FORMAT-03',
    intent: 'writes a request that the provider accepts, for any log and after any compaction',
    check: checkLegal,
  },
  {
    id: 'FORMAT-04',
    intent: 'writes back byte for byte what it read, if nothing was edited',
    check: checkIdentity,
  },
  {
    id: 'FORMAT-05',
    intent: 'keeps unknown fields, in their order',
    check: checkUnknownFields,
  },
  {
    id: 'FORMAT-06',
    intent: 'writes the same bytes for the same view, and does not change its arguments',
    check: checkPure,
  },
  {
    id: 'FORMAT-08',
    intent: 'extends each request by the next one, so that the bytes in the cache stay the same',
    check: checkExtension,
  },
  {
    id: 'FORMAT-09',
    intent: 'drops words of a message only with a notice that names the message',
    check: checkNothingLost,
  },
  {
    id: 'FORMAT-10',
    intent: 'reports each repair with a notice, and gives no notice if nothing was broken',
    check: checkNotices,
  },
  {
    id: 'FORMAT-11',
    intent:
      'if it has a reader: the reader gives what `parse` gives, does not parse unchanged messages twice, and says what is new',
    check: checkReader,
  },
  {
    id: 'FORMAT-12',
    intent: 'sends every call, edited or not, with its tool and its arguments, and the images of the user',
    check: checkCalls,
  },
  {
    id: 'FORMAT-13',
    intent: 'writes back the samples of its own wire, and keeps thinking and signatures next to an edit',
    check: checkSamples,
  },
  {
    id: 'FORMAT-14',
    intent: 'writes the same with a memory as without one, for any content of the memory',
    check: checkMemory,
  },
];
