import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanUp, KEY, newFile, opened } from './support.js';

cleanUp();

const run = promisify(execFile);
const COUNT = 25;

it('two services on one file of SQLite lose nothing of each other and wait for each other', async () => {
  const url = `sqlite:${newFile()}`;
  const workers = ['a', 'b'].map((writer) =>
    run(process.execPath, ['--import', 'tsx', 'test/support/append-worker.ts', url, writer, String(COUNT)]),
  );
  await Promise.all(workers);
  const messages = await (await opened(url)).messages(KEY, 0);
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, i) => i));
  for (const writer of ['a', 'b']) {
    const own = messages.filter(({ id }) => id.startsWith(writer)).map(({ id }) => id);
    expect(own).toEqual(Array.from({ length: COUNT }, (_, i) => `${writer}.${i}`));
  }
});
