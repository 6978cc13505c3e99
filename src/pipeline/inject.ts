import { standIn, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import { spanHandle, textOf, type Edit, type Message } from '../transcript/index.js';

/** Texts that a plugin wants carried next to the newest replacement. */
export interface Injected {
  /** The plugin's name. */
  readonly plugin: string;
  readonly texts: readonly string[];
  /** For each text, words that make it needless if a message in the view contains them. */
  readonly unless?: readonly string[];
}

const PREFIX = 'injected:';
const CARRY_REASON = 'what a plugin has carried';

/** Whether a message is a carried text: of `plugin`, or of any plugin. */
export function isCarriedFor({ id, label }: Message, plugin = ''): boolean {
  return label === 'injected' && id.startsWith(plugin === '' ? PREFIX : `${PREFIX}${plugin}:`);
}

/**
 * Edits that put the plugins' texts after the newest replacement, instead of their earlier texts. Empty if no span was
 * replaced: the whole conversation is still in view.
 */
export function carryInjected({ exchanges }: TranscriptView, injected: readonly Injected[]): Edit[] {
  const isOld = (message: Message): boolean => injected.some(({ plugin }) => isCarriedFor(message, plugin));
  const free = exchanges.filter(({ kind, protection }) => kind === 'replacement' && protection === undefined);
  const place = free.at(-1);
  const isInView = searchIn(exchanges);
  if (!place || injected.length === 0) return [];
  const handle = spanHandle(place.fromId, place.toId);
  const fresh = injected.flatMap(({ plugin, texts, unless = [] }) =>
    texts
      .filter((_, i) => unless[i] === undefined || !isInView(unless[i]))
      .map((text, i) => standIn('injected', `${plugin}:${handle}${i === 0 ? '' : `:${i}`}`, text)),
  );
  const isCarried = free.some((one) => messagesOf(one).some(isOld));
  if (fresh.length === 0 && !isCarried) return [];
  const stale = free.filter((one) => one !== place && messagesOf(one).some(isOld));
  const kept = (one: ViewExchange): Message[] => messagesOf(one).filter((message) => !isOld(message));
  const edits = stale.map((one) => supersedeBy(one, kept(one), CARRY_REASON));
  return [...edits, supersedeBy(place, [...kept(place), ...fresh], CARRY_REASON)];
}

/** Whether a message in view that is no carried text contains some words. */
function searchIn(exchanges: TranscriptView['exchanges']): (words: string) => boolean {
  const shown = exchanges.flatMap(({ messages }) => messages).filter(({ message }) => !isCarriedFor(message));
  return (words) => shown.some(({ message }) => message.parts.some((part) => textOf(part).includes(words)));
}

const messagesOf = ({ messages }: ViewExchange): Message[] => messages.map(({ message }) => message);
