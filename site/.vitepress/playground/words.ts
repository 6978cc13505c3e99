import type { ReplayedGates } from '../data/shapes.js';
import { countOf, firedIn } from '../theme/cascade.js';
import type { Opened } from './shapes.js';

const counted = (count: number, one: string): string => `${countOf(count)} ${one}${count === 1 ? '' : 's'}`;

/** What a file is, and what of it could not be read. */
export function sessionWords(name: string, { format, messages, notices }: Opened): string {
  const said = notices.map((notice) => `${notice}.`);
  return [`${name}: ${counted(messages, 'message')}, read as ${format}.`, ...said].join(' ');
}

/** What came of a replay, so far or in all. */
export function replayWords(replayed: ReplayedGates, isPlaying: boolean): string {
  const { calls } = replayed;
  if (calls.length === 0)
    return isPlaying
      ? 'Playing …'
      : 'There is no answer of a model in this session, so no request to look at.';
  const fit = calls.filter(({ fault }) => fault === undefined);
  const sent = fit.reduce((sum, { after }) => sum + after, 0) / (fit.length || 1);
  const words = [
    `${counted(calls.length, 'call')} of the model, ${counted(firedIn(replayed).length, 'compaction')}`,
    `${countOf(Math.round(sent))} tokens a call`,
    fit.length === calls.length ? 'every call fits' : `${calls.length - fit.length} cannot fit`,
  ].join('; ');
  return `${words}${isPlaying ? '; playing on …' : '.'}`;
}
