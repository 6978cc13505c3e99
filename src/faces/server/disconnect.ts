import type { FastifyReply } from 'fastify';

type Reply = Pick<FastifyReply, 'raw'>;

/** Aborts if the client disconnects before it has its answer. */
export function disconnectSignal(reply: Reply): AbortSignal {
  const controller = new AbortController();
  onClose(reply, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Resolves when the client has its answer or has disconnected. */
export const whenClosed = (reply: Reply): Promise<void> => new Promise((resolve) => onClose(reply, resolve));

/** Calls `end` at once after a close: a client may leave while its body is read, and `close` is emitted only once. */
function onClose({ raw }: Reply, end: () => void): void {
  if (raw.closed) end();
  else raw.once('close', end);
}
