import { describe, expect, it } from '@jest/globals';
import { createRedact } from '../../../src/summarizers/index.js';

/** Put together here, so that no scanner takes this file for a leak. */
const join = (...parts: string[]): string => parts.join('');

describe('redaction', () => {
  const redact = createRedact();

  it.each([
    ['API key', join('sk-', 'proj-abcdefghij0123456789')],
    ['API key', join('ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2')],
    ['API key', join('xoxb-', '1234567890-abcdef')],
    ['AWS key', join('AKIA', 'IOSFODNN7EXAMPLE')],
    [
      'JWT',
      join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'),
    ],
    ['private key', join('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIEow\n-----END RSA ', 'PRIVATE KEY-----')],
  ])('takes out a %s', (kind, secret) => {
    expect(redact(`before ${secret} after`)).toEqual({ text: `before [${kind} removed] after`, count: 1 });
  });

  it('keeps what stands around a secret', () => {
    expect(redact('Authorization: Bearer abcdefghijklmnop1234').text).toBe(
      'Authorization: Bearer [bearer token removed]',
    );
    expect(redact('postgres://app:hunter2@db:5432/app').text).toBe(
      'postgres://app:[password removed]@db:5432/app',
    );
    expect(redact('DB_PASSWORD="correct horse"').text).toBe('DB_PASSWORD="correct horse"');
    expect(redact('DB_PASSWORD="correcthorse"').text).toBe('DB_PASSWORD="[secret removed]"');
  });

  it('leaves ordinary text alone, `$&` and all', () => {
    const text = 'see src/auth/token.ts, commit 9f8e7d6c5b4a, cost $& and $1, task-sk-1';
    expect(redact(text)).toEqual({ text, count: 0 });
  });

  it('knows the patterns of the operator', () => {
    expect(createRedact(['ACME-\\d+'])('order ACME-1234').text).toBe('order [secret removed]');
  });

  it('is linear in hostile text', () => {
    const started = performance.now();
    redact('a'.repeat(300_000));
    redact('-----BEGIN PRIVATE KEY-----'.repeat(5_000));
    redact('x://'.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
