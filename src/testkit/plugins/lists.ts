import type { CompactorResult, PreCompact, SeenMessage } from '../../spi/index.js';

/** What a list breaks; the rules name them. */
export type ListFault = 'list' | 'parted' | 'order' | 'fixed' | 'grows' | 'superseded';

interface SeenInList {
  readonly breaks: ListFault;
  readonly what: string;
}

/** What a compactor's answer comes to, judged by itself: nothing of the engine is asked. */
interface ReadList {
  readonly faults: readonly SeenInList[];
  /** Whether anything left. */
  readonly acts: boolean;
}

type Entry = Readonly<Record<string, unknown>>;

/** About so many characters are one token, and a message has an envelope. */
const CHARS_A_TOKEN = 4;

export function readList({ messages }: PreCompact, answer: unknown): ReadList {
  const given = (answer as Partial<CompactorResult> | null | undefined)?.messages as unknown;
  if (!Array.isArray(given)) return { faults: [fault('list', 'it returned no { messages }')], acts: false };
  const list = given as readonly (Entry | null)[];
  const at = new Map(messages.map(({ id }, index) => [id, index]));
  const faults: SeenInList[] = [];
  for (const one of list) {
    if (typeof one !== 'object' || one === null) faults.push(fault('list', `${String(one)} is no message`));
    else if (!isWritten(one) && !at.has(String(one['id'])))
      faults.push(fault('list', `${String(one['id'])} is not among what it was given`));
  }
  const kept = list.flatMap((one) => (one && at.has(String(one['id'])) ? [at.get(String(one['id']))!] : []));
  const stays = new Set(kept);
  const left = messages.filter((_, index) => !stays.has(index));
  for (const [i, index] of kept.entries())
    if (i > 0 && index <= kept[i - 1]!)
      faults.push(fault('order', `${messages[index]!.id} stands behind ${messages[kept[i - 1]!]!.id}`));
  faults.push(...parted(messages, stays), ...taken(left), ...grown(messages, list, at));
  faults.push(...disagrees(left, (answer as Partial<CompactorResult>).superseded));
  return { faults, acts: left.length > 0 };
}

const fault = (breaks: ListFault, what: string): SeenInList => ({ breaks, what });

/** What it wrote: text, or a message of its own with parts. */
const isWritten = (one: Entry): boolean => typeof one['text'] === 'string' || Array.isArray(one['parts']);

function parted(messages: readonly SeenMessage[], stays: ReadonlySet<number>): SeenInList[] {
  const exchanges = new Map<number, { readonly id: string; readonly stays: boolean }[]>();
  for (const [index, { id, exchange, fixed }] of messages.entries()) {
    // A pin that is left out stays all the same.
    if (fixed === 'pinned') continue;
    exchanges.set(exchange, [...(exchanges.get(exchange) ?? []), { id, stays: stays.has(index) }]);
  }
  return [...exchanges.values()].flatMap((members) => {
    const gone = members.find((one) => !one.stays);
    const kept = members.find((one) => one.stays);
    return gone && kept ? [fault('parted', `${gone.id} left and ${kept.id} of its exchange stayed`)] : [];
  });
}

const taken = (left: readonly SeenMessage[]): SeenInList[] =>
  left
    .filter(({ fixed }) => fixed !== undefined && fixed !== 'pinned')
    .map(({ id, fixed }) => fault('fixed', `${id} left, which is ${fixed}`));

/** What was written between two that stay, against what left there. */
function grown(
  messages: readonly SeenMessage[],
  list: readonly (Entry | null)[],
  at: ReadonlyMap<string, number>,
): SeenInList[] {
  const faults: SeenInList[] = [];
  let from = -1;
  let written = '';
  const close = (to: number): void => {
    const gone = messages.slice(from + 1, to).filter(({ fixed }) => fixed !== 'pinned');
    const freed = gone.reduce((sum, { tokens }) => sum + tokens, 0);
    const cost = Math.ceil(written.length / CHARS_A_TOKEN);
    if (written !== '' && cost >= freed)
      faults.push(fault('grows', `${cost} tokens were written where ${freed} left`));
    written = '';
  };
  for (const one of list) {
    const index = one === null ? undefined : at.get(String(one['id']));
    if (one !== null && index === undefined) written += saidIn(one);
    else if (index !== undefined && index > from) {
      close(index);
      from = index;
    }
  }
  close(messages.length);
  return faults;
}

function saidIn({ text, parts }: Entry): string {
  if (typeof text === 'string') return text;
  return Array.isArray(parts) ? parts.map((part) => String((part as Entry)['text'] ?? '')).join('') : '';
}

function disagrees(left: readonly SeenMessage[], superseded: unknown): SeenInList[] {
  if (superseded === undefined) return [];
  if (!Array.isArray(superseded)) return [fault('superseded', 'superseded is no list')];
  const said = new Set<unknown>(superseded);
  const missing = left.find(({ id, fixed }) => fixed !== 'pinned' && !said.has(id));
  const gone = new Set(left.map(({ id }) => id));
  const extra = superseded.find((id: unknown) => !gone.has(String(id)));
  return [
    ...(missing ? [fault('superseded', `${missing.id} left and is not in superseded`)] : []),
    ...(extra === undefined ? [] : [fault('superseded', `${String(extra)} is in superseded and stayed`)]),
  ];
}
