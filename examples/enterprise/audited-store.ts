import type { SessionStore, ThreadHead, ThreadKey, ThreadWrite } from 'spillway/spi';
import type { AuditSink } from './services.js';

/** A store that reports each write and its time to the audit, and passes everything else to the inner store. */
export function auditedStore(inner: SessionStore, audit: AuditSink): SessionStore {
  const tells = {
    name: `audited ${inner.name}`,
    async write(key: ThreadKey, expected: ThreadHead, write: ThreadWrite): Promise<ThreadHead | undefined> {
      const head = await inner.write(key, expected, write);
      // Without a head another process was faster, and nothing was written.
      if (head)
        audit.wrote({
          session: key.sessionId,
          messages: write.messages?.length ?? 0,
          entries: write.entries?.length ?? 0,
        });
      return head;
    },
  };
  return new Proxy(inner, {
    get(target, field: keyof SessionStore) {
      if (field in tells) return tells[field as keyof typeof tells];
      const value: unknown = target[field];
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
