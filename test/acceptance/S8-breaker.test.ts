import type { PressureEvent } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { filling, pressed, summariesOf } from './summarizer.js';

describe('S8: the breaker', () => {
  it('opens after three failures, tries once after the cooldown, and then closes or opens again', async () => {
    const emulator = await startEmulator('server-error');
    const cooldown = 1_500;
    const session = await filling(emulator, { thresholds: { circuitBreakerCooldown: cooldown } });
    const states: string[] = [];
    session.events.subscribe((event: PressureEvent) => {
      if (event.kind === 'breaker') states.push(event.state);
    });
    for (let run = 1; run <= 5; run++) {
      const { record } = await pressed(session, run);
      expect(record?.status).toBe('committed');
      expect(summariesOf(session).join()).not.toContain('by emulated');
    }
    expect(emulator.received).toHaveLength(3);
    expect(states).toEqual(['open']);
    expect(Object.values(session.operator.breakers)).toEqual(['open']);
    expect(session.operator.history.at(-1)!.fallbacks!.join()).toContain('the breaker is open');

    await new Promise((resolve) => setTimeout(resolve, cooldown + 50));
    await pressed(session, 6);
    expect(emulator.received).toHaveLength(4);
    expect(states).toEqual(['open', 'half-open', 'open']);

    emulator.otherwise = 'good';
    await new Promise((resolve) => setTimeout(resolve, cooldown + 50));
    await pressed(session, 7);
    expect(states).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
    expect(summariesOf(session).join()).toContain('by emulated');
  });

  it('counts only failures in a row', async () => {
    const emulator = await startEmulator();
    const session = await filling(emulator);
    const acts = ['server-error', 'server-error', 'good', 'server-error', 'server-error'] as const;
    for (const [i, act] of acts.entries()) {
      emulator.otherwise = act;
      await pressed(session, i + 1);
      expect(Object.values(session.operator.breakers)).toEqual(['closed']);
    }
    emulator.otherwise = 'server-error';
    await pressed(session, acts.length + 1);
    expect(Object.values(session.operator.breakers)).toEqual(['open']);
  });

  it('does not open for an error of the caller', async () => {
    const emulator = await startEmulator('wrong-key');
    const session = await filling(emulator);
    for (let run = 1; run <= 4; run++) await pressed(session, run);
    expect(emulator.received.length).toBeGreaterThanOrEqual(4);
    expect(Object.values(session.operator.breakers)).toEqual(['closed']);
    expect(session.operator.history.at(-1)!.fallbacks!.join()).toContain('HTTP 401');
  });
});
