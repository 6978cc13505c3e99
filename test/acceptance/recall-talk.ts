import type { Session } from '../../src/index.js';
import { validateAnthropic, validators } from '../../src/testkit/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { aiSdk, chat, claude, langChain, responses, type Ask, type Wired } from './clients.js';
import { engine, prose } from './support.js';

export const FACT = 'The key lies in the oak box, number 4711.';
export const usage = { inputTokens: 100, cacheReadTokens: 10, outputTokens: 7 };
let made = 0;
export const callId = (): string => `call_${++made}`;
export const recalls = (args: unknown, more: Partial<Extract<Act, { text?: string }>> = {}): Act => ({
  text: '',
  ...more,
  toolCalls: [{ id: callId(), name: 'recall', arguments: args }, ...(more.toolCalls ?? [])],
  usage,
});
export const says = (text: string): Act => ({ text, usage });

export const WIRED = [
  ...[false, true].flatMap((stream) => [chat(stream), responses(stream), claude(stream)]),
  aiSdk('chat', false),
  aiSdk('compatible', true),
  aiSdk('anthropic', false),
  aiSdk('anthropic', true),
  langChain(false),
  langChain(true),
];

/** A client whose model answers “Built.”, with a session of its own that may recall, and its `rewound` events. */
export async function opened(
  { format, open }: Wired,
  recall: boolean | number = true,
  settings: Parameters<typeof engine>[1] = {},
) {
  const emulator = await startEmulator(says('Built.'));
  const session = (await engine(2_500, settings, { format })).session();
  const rewound: unknown[] = [];
  session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
  return { emulator, session, rewound, ...open(emulator, session, { recall }) };
}

/** Talks until a compaction has removed the fact from the view. */
export async function talked(ask: Ask, session: Session): Promise<void> {
  await ask('Build a mill.');
  await ask(`${prose(150, 70)} ${FACT} ${prose(150, 71)}`);
  for (let turn = 0; turn < 4; turn++) await ask(`Question ${turn}: ${prose(600, turn)}`);
  expect(session.operator.history.length).toBeGreaterThan(0);
}

/** Whether a request lets the model recall. */
export const offersRecall = ({ tools, tool_choice: choice }: Emulator['received'][number]['body']): boolean =>
  JSON.stringify(tools ?? []).includes('"recall"') && !JSON.stringify(choice ?? '').includes('none');

export function legal({ received }: Emulator): void {
  for (const { wire, body } of received)
    expect(wire.startsWith('anthropic') ? validateAnthropic(body) : validators.get(wire)!(body)).toEqual([]);
}
