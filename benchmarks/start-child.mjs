// One start, in a process of its own: prints milliseconds of wall clock and of processor.
const now = () => {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
};
const between = (from, to) => ({ wallMs: to.wallMs - from.wallMs, cpuMs: to.cpuMs - from.cpuMs });

const [, , door] = process.argv;
const empty = now();
const { createSpillway } = await import(door);
const imported = now();
const spillway = await createSpillway({ inputBudget: 8_000 });
const created = now();
const session = spillway.session();
await session.follow({ messages: [{ role: 'user', content: 'What does the mill need?' }] });
await session.prepare();
console.log(
  JSON.stringify({
    // The time that Node itself took until here: the measure of the machine's present speed.
    'empty process': empty,
    import: between(empty, imported),
    createSpillway: between(imported, created),
    'first prepare': between(created, now()),
  }),
);
