/**
 * Rule A5 of the Messages API, which shows only over several requests of one conversation: thinking is bound to the
 * messages before it. A change before a thinking block makes it, and every later one, invalid. And rule A4: a thinking
 * block comes back unchanged, or not at all.
 *
 * Written from the wire's rules alone. `answered` receives a request and the model's answer; `judge` then finds the
 * thinking blocks of a later request that a checking server would refuse.
 */
import { asText, asLoose, isLoose, listIn, type Loose } from '../../src/testkit/wire/loose.js';
import { createHash } from 'node:crypto';

/** A signature that a provider would refuse, or no longer honour. */
export interface SignatureFault {
  readonly rule: 'A4' | 'A5';
  /** Index of the message at fault. */
  readonly at: number;
  readonly what: string;
  /** The thinking belongs to the tool loop in progress, after the user's last message. */
  readonly inOpenLoop: boolean;
}

interface Thought {
  readonly block: string;
  readonly before: string;
}

/**
 * Remembers where signed reasoning was first sent, and reports when it comes back changed, or after other messages
 * than those that it was signed over.
 */
export class SignatureBook {
  readonly #thoughts = new Map<string, Thought>();

  /** Records the thinking of a model's answer to a request. */
  answered(request: unknown, answer: unknown): void {
    const prefix = createHash('sha256');
    for (const { text } of saidIn(request)) prefix.update(text);
    for (const block of blocksIn(answer)) {
      const proof = proofOf(block);
      const text = textOf('assistant', block);
      if (proof) this.#thoughts.set(proof, { block: text, before: prefix.copy().digest('hex') });
      prefix.update(text);
    }
  }

  /** Faults of a later request, in order. Thinking that is in no recorded answer counts as correct. */
  judge(request: unknown): SignatureFault[] {
    const said = saidIn(request);
    const lastWords = said.findLastIndex(
      ({ role, block }) => role === 'user' && block.type !== 'tool_result',
    );
    const prefix = createHash('sha256');
    return said.flatMap(({ at, block, text }, index): SignatureFault[] => {
      const proof = proofOf(block);
      const known = proof === undefined ? undefined : this.#thoughts.get(proof);
      const before = known && prefix.copy().digest('hex');
      prefix.update(text);
      if (!known) return [];
      const inOpenLoop = index > lastWords;
      if (known.block !== text)
        return [{ rule: 'A4', at, what: 'a thinking block is not as it was thought', inOpenLoop }];
      if (known.before === before) return [];
      return [{ rule: 'A5', at, what: 'what stood before a thinking block has changed', inOpenLoop }];
    });
  }
}

interface Said {
  readonly at: number;
  readonly role: string;
  readonly block: Loose;
  readonly text: string;
}

/** Everything that the model reads, in order, without cache marks, which are no content. */
function saidIn(request: unknown): Said[] {
  const body: Loose = isLoose(request) ? request : { messages: request };
  const system = { role: 'system', content: body.system };
  return [system, ...listIn(body.messages).map(asLoose)].flatMap((message, index) => {
    const role = asText(message.role);
    return blocksIn(message).map((block) => ({ at: index - 1, role, block, text: textOf(role, block) }));
  });
}

function textOf(role: string, block: Loose): string {
  return `${role} ${JSON.stringify(block, (key, value: unknown) => (key === 'cache_control' ? undefined : value))}`;
}

function proofOf({ type, signature, data }: Loose): string | undefined {
  const proof = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  return typeof proof === 'string' ? proof : undefined;
}

function blocksIn(message: unknown): readonly Loose[] {
  const { content } = asLoose(message);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listIn(content).filter(isLoose);
}
