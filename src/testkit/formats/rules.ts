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

/** What a wire format is held to. FORMAT-07 asked for a writer that formats no longer have. */
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
    intent: 'refuses by INPUT_FORMAT what holds no messages of its own',
    check: checkForeignInput,
  },
  {
    id: 'FORMAT-03',
    intent: 'writes a request that the provider takes, whatever the log holds and however it was compacted',
    check: checkLegal,
  },
  {
    id: 'FORMAT-04',
    intent: 'gives back byte for byte what it read, where nothing was edited',
    check: checkIdentity,
  },
  {
    id: 'FORMAT-05',
    intent: 'keeps fields that it does not know, in their order',
    check: checkUnknownFields,
  },
  {
    id: 'FORMAT-06',
    intent: 'writes the same bytes for the same view, and writes to nothing it is given',
    check: checkPure,
  },
  {
    id: 'FORMAT-08',
    intent: 'extends each request by the next one: what a provider has cached stays the same bytes',
    check: checkExtension,
  },
  {
    id: 'FORMAT-09',
    intent: 'loses nothing that was said without a notice that names the message',
    check: checkNothingLost,
  },
  {
    id: 'FORMAT-10',
    intent: 'says with a notice what it had to mend, and nothing where all is in order',
    check: checkNotices,
  },
  {
    id: 'FORMAT-11',
    intent:
      'where it has a reader, that gives what `parse` gives, parses nothing twice that has not changed, and says what is new',
    check: checkReader,
  },
  {
    id: 'FORMAT-12',
    intent: 'sends every call with its tool and its arguments, edited ones too, and the pictures of the user',
    check: checkCalls,
  },
  {
    id: 'FORMAT-13',
    intent: 'gives back the samples of its own wire, and keeps thinking and signatures beside an edit',
    check: checkSamples,
  },
  {
    id: 'FORMAT-14',
    intent: 'writes with a memory what it writes without one, whatever that memory has seen',
    check: checkMemory,
  },
];
