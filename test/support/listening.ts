import type { AddressInfo, Server } from 'node:net';

const listening: (Server & { closeAllConnections?(): void })[] = [];
afterAll(() => {
  for (const server of listening) {
    server.closeAllConnections?.();
    server.close();
  }
});

/** The port of a server that listens until the tests of the file are over. */
export async function portOf(server: Server): Promise<number> {
  listening.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
}

/** The server's address without a path. */
export const originOf = async (server: Server): Promise<string> => `http://127.0.0.1:${await portOf(server)}`;
