import { standIn, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import { spanHandle, textOf, type Edit, type Message } from '../transcript/index.js';

/** Text that a plugin has carried beside what stands for what left. */
export interface Injected {
  /** The plugin's name. */
  readonly by: string;
  readonly texts: readonly string[];
  /** Of each text, words that make it needless where a message of the view says them. */
  readonly unless?: readonly string[];
}

const PREFIX = 'injected:';
const CARRIED = 'what a plugin has carried';

/** Whether a message is what a plugin had carried, this one or any. */
export function isCarriedFor({ id, label }: Message, by = ''): boolean {
  return label === 'injected' && id.startsWith(by === '' ? PREFIX : `${PREFIX}${by}:`);
}

/**
 * The edits that put what plugins say behind the newest replacement, in place of what they had carried before. Nothing
 * where no span has left: all that could be told stands in the view.
 */
export function carryInjected({ exchanges }: TranscriptView, injected: readonly Injected[]): Edit[] {
  const isOld = (message: Message): boolean => injected.some(({ by }) => isCarriedFor(message, by));
  const free = exchanges.filter(({ kind, protection }) => kind === 'replacement' && protection === undefined);
  const place = free.at(-1);
  const stands = wordsInView(exchanges);
  if (!place || injected.length === 0) return [];
  const handle = spanHandle(place.fromId, place.toId);
  const fresh = injected.flatMap(({ by, texts, unless = [] }) =>
    texts
      .filter((_, i) => unless[i] === undefined || !stands(unless[i]))
      .map((text, i) => standIn('injected', `${by}:${handle}${i === 0 ? '' : `:${i}`}`, text)),
  );
  const isCarried = free.some((one) => messagesOf(one).some(isOld));
  if (fresh.length === 0 && !isCarried) return [];
  const stale = free.filter((one) => one !== place && messagesOf(one).some(isOld));
  const kept = (one: ViewExchange): Message[] => messagesOf(one).filter((message) => !isOld(message));
  const edits = stale.map((one) => supersedeBy(one, kept(one), CARRIED));
  return [...edits, supersedeBy(place, [...kept(place), ...fresh], CARRIED)];
}

/** Whether a message that nobody had carried says some words. */
function wordsInView(exchanges: TranscriptView['exchanges']): (words: string) => boolean {
  const shown = exchanges.flatMap(({ messages }) => messages).filter(({ message }) => !isCarriedFor(message));
  return (words) => shown.some(({ message }) => message.parts.some((part) => textOf(part).includes(words)));
}

const messagesOf = ({ messages }: ViewExchange): Message[] => messages.map(({ message }) => message);
