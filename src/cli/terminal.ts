import pc from 'picocolors';

/** The only place that knows of stdout, stderr and colours. */
export interface Terminal {
  /** Results: messages, listings. */
  out(text: string): void;
  /** Reports, progress, complaints. */
  err(text: string): void;
  /** One line on stderr. */
  note(line: string): void;
  readonly interactive: boolean;
  readonly columns: number;
  readonly paint: ReturnType<typeof pc.createColors>;
  readonly env: NodeJS.ProcessEnv;
}

export function createTerminal(): Terminal {
  const interactive = process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    note: (line) => void process.stderr.write(`${line}\n`),
    interactive,
    columns: process.stderr.columns ?? 100,
    paint: pc.createColors(interactive && !process.env.NO_COLOR),
    env: process.env,
  };
}
