import type { FastifyReply } from 'fastify';

type Reply = Pick<FastifyReply, 'raw'>;

/** Aborts if the client disconnects before it has its answer. */
export function goneOf(reply: Reply): AbortSignal {
  const gone = new AbortController();
  whenOver(reply, () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Resolves when the client has its answer or has disconnected. */
export const overOf = (reply: Reply): Promise<void> => new Promise((resolve) => whenOver(reply, resolve));

/** Calls `end` at once after a close: a client may leave while its body is read, and `close` is emitted only once. */
function whenOver({ raw }: Reply, end: () => void): void {
  if (raw.closed) end();
  else raw.once('close', end);
}
