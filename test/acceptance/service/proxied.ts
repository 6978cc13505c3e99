import OpenAI from 'openai';
import { validators } from '../../../src/testkit/index.js';
import { startEmulator, type Emulator } from '../../emulator/index.js';
import { started, type Started } from './support.js';

export const BUDGET = 6_000;

export async function proxied(
  settings: Parameters<typeof started>[1] = {},
  more: Parameters<typeof started>[2] = {},
): Promise<{ readonly service: Started; readonly emulator: Emulator }> {
  const emulator = await startEmulator();
  const upstreams = { openai: emulator.url, anthropic: emulator.origin };
  const service = await started(
    BUDGET,
    { ...settings, server: { upstreams, ...settings.server } } as never,
    more,
  );
  return { service, emulator };
}

/** No request that came to the model was illegal or too long. */
export function checkRequests(emulator: Emulator): void {
  for (const { act, wire, body } of emulator.received) {
    expect(act).not.toBe('context-length');
    expect(validators.get(wire.replace('-messages', ''))!(body)).toEqual([]);
  }
}

export const chatOf = (service: Started): OpenAI =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'client-key', maxRetries: 0 });
