import { createHash } from 'node:crypto';

/** Scripts that stand in the page itself: the one that sets dark or light before anything is drawn, and no other. */
const INLINE = /<script(?![^>]*\bsrc=)(?![^>]*type="application\/json")[^>]*>([\s\S]*?)<\/script>/g;

/**
 * A page with the policy that its browser holds it to: everything comes from where the page does, and nothing is sent
 * anywhere.
 */
export function withPolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'none'",
    "worker-src 'self'",
    "form-action 'none'",
    "object-src 'none'",
    "base-uri 'none'",
  ].join('; ');
  return html.replace(
    /<meta charset="utf-8">/i,
    (charset) => `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}
