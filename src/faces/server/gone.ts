import type { FastifyReply } from 'fastify';

type Reply = Pick<FastifyReply, 'raw'>;

/** Aborts when the client goes away before it has its answer. */
export function goneOf(reply: Reply): AbortSignal {
  const gone = new AbortController();
  whenOver(reply, () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Resolves when the client has its answer, or has gone away. */
export const overOf = (reply: Reply): Promise<void> => new Promise((resolve) => whenOver(reply, resolve));

/** At once where it is: a client may go while its body is read or its session is opened, and is told of once. */
function whenOver({ raw }: Reply, end: () => void): void {
  if (raw.closed) end();
  else raw.once('close', end);
}
