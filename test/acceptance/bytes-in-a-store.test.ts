import { readFileSync } from 'node:fs';
import { engine, temporaryFolder } from './support.js';

const folder = temporaryFolder();

/** What an AI SDK client sends with each call: the same bytes in new arrays. */
function body(bytes: Uint8Array) {
  const image = { type: 'image', image: bytes.slice(), mediaType: 'image/png' };
  const file = { type: 'file', data: bytes.slice().buffer, mediaType: 'application/pdf' };
  return {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'See.' }, image, file] },
      { role: 'assistant', content: 'Nice.' },
      { role: 'user', content: 'And now?' },
    ],
  };
}

describe('bytes that an AI SDK client sends', () => {
  it.each(['sqlite', 'memory'])(
    'are the same bytes after a restart on %s, and the log continues',
    async (kind) => {
      const bytes = Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7_919) % 256);
      const path = folder.file(`bytes.${kind}`, '');
      const store = kind === 'sqlite' ? `sqlite:${path}.db` : 'memory:';
      const first = await engine(1_000_000, {}, { format: 'ai-sdk', store });
      const session = await first.open({ id: 'x' });
      await session.follow(body(bytes));
      const before = (await session.prepare()).messages;
      const second = kind === 'sqlite' ? await engine(1_000_000, {}, { format: 'ai-sdk', store }) : first;
      const again = await second.open({ id: 'x' });
      await again.load();
      const { messages } = await again.prepare();
      expect(messages).toEqual(before);
      const [, image, file] = (messages[0] as { content: { image: Uint8Array; data: ArrayBuffer }[] })
        .content;
      expect(Buffer.compare(image!.image, bytes)).toBe(0);
      expect(Buffer.compare(new Uint8Array(file!.data), bytes)).toBe(0);
      const followed = await again.follow(body(bytes));
      expect([followed.rewound, followed.appended.length]).toEqual([undefined, 0]);
      await second.close();
      if (kind === 'sqlite') expect(readFileSync(`${path}.db`).length).toBeLessThan(3 * 2 * bytes.length);
    },
  );

  it('hostile 14: a log with addresses and numbers that JSON cannot express continues after a restart', async () => {
    const store = `sqlite:${folder.file('odd.db', '')}.db`;
    const data = () => new URL('https://example.test/a.pdf');
    const input = { wide: Infinity, none: NaN, zero: -0, gone: undefined };
    const odd = () => ({
      messages: [
        { role: 'user', content: [{ type: 'file', data: data(), mediaType: 'application/pdf' }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input }] },
      ],
    });
    for (let start = 0; start < 2; start++) {
      const spillway = await engine(1_000_000, {}, { format: 'ai-sdk', store });
      const session = await spillway.open({ id: 'x' });
      await session.load();
      const { rewound, appended } = await session.follow(odd());
      expect([rewound, appended.length]).toEqual([undefined, start === 0 ? 2 : 0]);
      expect((await session.follow(odd())).rewound).toBeUndefined();
      await spillway.close();
    }
  });

  const rows = (at: unknown) => ({
    messages: [
      { role: 'user', content: 'Which orders?' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'orders', input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'orders',
            output: { type: 'json', value: [{ at }] },
          },
        ],
      },
      { role: 'user', content: 'And now?' },
    ],
  });
  class Price {
    readonly #cents: number;
    constructor(cents: number) {
      this.#cents = cents;
    }
    toJSON(): unknown {
      return { cents: this.#cents };
    }
  }

  it.each<[string, () => unknown, () => unknown]>([
    ['a date', () => new Date(0), () => new Date(1)],
    ['a value of a class', () => new Price(5), () => new Price(6)],
    ['a value with a `toJSON` of its own', () => ({ toJSON: () => 'a' }), () => ({ toJSON: () => 'b' })],
  ])(
    'hostile 14: %s counts as its JSON: the same JSON continues the log, another one goes back',
    async (_, one, two) => {
      const session = (await engine(1_000_000, {}, { format: 'ai-sdk' })).session();
      await session.follow(rows(one()));
      const stored = JSON.parse(JSON.stringify(rows(one()))) as unknown;
      for (const same of [rows(one()), stored, rows(one())]) {
        const { rewound, appended } = await session.follow(same);
        expect([rewound, appended.length]).toEqual([undefined, 0]);
      }
      const { rewound } = await session.follow(rows(two()));
      expect(rewound).toEqual({ to: 2, left: 2 });
      const { messages } = await session.prepare();
      expect(JSON.parse(JSON.stringify(messages))).toEqual(JSON.parse(JSON.stringify(rows(two()).messages)));
    },
  );
});
