import { cleanUp, newFile, opened } from './support.js';

const { gc } = globalThis;
afterEach(() => void (globalThis.gc = gc));
cleanUp();

it('files of SQLite that are closed together cost one collection, one that is closed later another', async () => {
  let collected = 0;
  globalThis.gc = (async () => void collected++) as typeof globalThis.gc;
  const stores = await Promise.all([1, 2, 3, 4].map(() => opened(`sqlite:${newFile()}`)));
  await Promise.all(stores.slice(0, 3).map((store) => store.close()));
  expect(collected).toBe(1);
  await stores[3]!.close();
  expect(collected).toBe(2);
});
