const STEP = /^(?:\.?([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")\])/u;

/** The keys of a knob's path as it is served: `models["gpt-4.1"].contextWindow` has three. */
export function keysOf(path: string): readonly string[] {
  const keys: string[] = [];
  for (let rest = path; rest !== '';) {
    const step = STEP.exec(rest);
    if (!step) return [...keys, rest];
    const [whole, name, index, quoted] = step;
    keys.push(name ?? index ?? (JSON.parse(quoted!) as string));
    rest = rest.slice(whole.length);
  }
  return keys;
}
