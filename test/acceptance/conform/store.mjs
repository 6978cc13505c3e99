/** A store that keeps nothing at all. */
const nothing = async () => [];
export const openStore = async (name) => ({
  name,
  load: async () => undefined,
  write: async () => ({ messages: 0, entries: 0 }),
  messages: nothing,
  message: async () => undefined,
  entries: nothing,
  note: async () => undefined,
  events: nothing,
  usage: nothing,
  search: nothing,
  artifact: async () => undefined,
  keepArtifact: async (_, artifact) => artifact,
  value: async () => undefined,
  setValue: async () => undefined,
  values: async () => ({}),
  threads: nothing,
  close: async () => undefined,
});
export const conform = { reopens: false };
