import { Agent, request } from 'node:http';

const WORDS = 'the river runs past an old mill and over a low wall where boats wait for rain ';
const connections = new Agent({ keepAlive: true, maxSockets: Infinity });

/** The results of all calls. */
export class Tally {
  readonly times: number[] = [];
  readonly failures = new Map<string, number>();

  failed(why: string): void {
    this.failures.set(why, (this.failures.get(why) ?? 0) + 1);
  }

  at(share: number): number {
    const sorted = this.times.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  }
}

/** An agent that reads a file with each step, and sends its whole history each time. It calls the `urls` in turn. */
export class LoadAgent {
  readonly #urls: readonly string[];
  readonly #tally: Tally;
  readonly #messages: object[];
  #calls = 0;

  constructor(name: string, urls: readonly string[], tally: Tally) {
    this.#urls = urls;
    this.#tally = tally;
    this.#messages = [{ role: 'user', content: `Build the mill ${name}.` }];
  }

  /** `tokens`: the approximate size of a step. */
  async call(tokens: number): Promise<void> {
    const id = `call_${this.#calls}`;
    const read = { name: 'read', arguments: `{"path":"src/${this.#calls}.ts"}` };
    if (this.#calls > 0)
      this.#messages.push(
        { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: read }] },
        {
          role: 'tool',
          tool_call_id: id,
          content: `${this.#calls} ${WORDS.repeat(Math.ceil((tokens * 4) / WORDS.length))}`,
        },
      );
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: this.#messages }));
    const url = this.#urls[this.#calls++ % this.#urls.length]!;
    const from = performance.now();
    try {
      const status = await post(`${url}/v1/chat/completions`, body);
      if (status !== 200) this.#tally.failed(String(status));
    } catch (error) {
      this.#tally.failed((error as NodeJS.ErrnoException).code ?? 'unknown');
    }
    this.#tally.times.push(performance.now() - from);
  }
}

function post(url: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const asked = request(url, { method: 'POST', agent: connections, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
