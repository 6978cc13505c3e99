import { readReport, worseFigures } from '../bench/check.js';
import { readExams } from '../bench/exam.js';
import { createExaminer, type Examiner } from '../bench/examiner.js';
import { originOf, versionOf } from '../bench/origin.js';
import { openPolicies } from '../bench/policy.js';
import { roundAt, type BenchRound } from '../bench/round.js';
import { NO_STATE, openState, type State } from '../bench/state.js';
import { sessionsAt, Subject } from '../bench/subject.js';
import { benchMarkdown, benchTables, type BenchReport } from '../bench/tables.js';
import { benchPage } from '../bench/page.js';
import { loadPrices } from '../../../tokens/index.js';
import type { PolicyOptions } from '../open.js';
import { usageFault } from '../options.js';
import { refuseOverwrite, writeReport, writeResult } from '../output.js';
import { createProgress } from '../progress.js';
import { EXIT, type Terminal } from '../terminal.js';

export interface BenchOptions extends Omit<PolicyOptions, 'window' | 'profile' | 'model' | 'out' | 'to'> {
  /** Profiles, settings files, `keep-newest`, `clear-tools`, or modules with a policy. */
  readonly policies: readonly string[];
  /** Adapters of other packages. Each adapter runs in its own process. */
  readonly peer?: readonly string[];
  /** Token limits of a request; one round for each. */
  readonly windows: readonly number[];
  /** If true, the other policies are also compared with the first at the number of tokens that the first sends. */
  readonly equal?: boolean;
  /** Models whose price sheets give the cost of the input. */
  readonly prices?: readonly string[];
  /** If true, the memory that each policy holds for a session is measured. */
  readonly memory?: boolean;
  /** The file that keeps the measurements, so that a later run continues from them. */
  readonly state?: string;
  readonly markdown?: string;
  readonly html?: string;
  /** An earlier report. The command fails if a figure is now worse. */
  readonly check?: string;
  readonly seed: number;
  /** A folder of exams: sessions cut before a step of the agent, with questions. Without a folder, nothing is asked. */
  readonly exam?: string;
  /** An OpenAI-compatible interface, including `/v1`. */
  readonly endpoint?: string;
  readonly reader?: string;
  readonly grader?: string;
  /** Environment variable with the endpoint's key. */
  readonly key: string;
  readonly replicates: number;
}

/** Number of draws for an interval. */
const DRAWS = 1_000;

/** Compares policies on recorded sessions: with the same calls, the same budget and the same token count. */
export async function bench(
  paths: readonly string[],
  options: BenchOptions,
  terminal: Terminal,
): Promise<number> {
  const { windows, prices: sheets = [], memory = false, seed, state: stateFile } = options;
  const files = paths.flatMap(sessionsAt);
  for (const file of files) refuseOverwrite(file, options.report, options.markdown, options.html, stateFile);
  // Read before the run, because the new report may overwrite the file.
  const before = options.check === undefined ? undefined : readReport(options.check);
  const origin = originOf();
  const state = stateFile === undefined ? NO_STATE : openState(stateFile, versionOf(origin));
  const priceOf = await loadPrices();
  for (const sheet of sheets) checkPrice(sheet, priceOf(sheet, { inputTokens: 1_000, outputTokens: 0 }));
  const exams = options.exam === undefined ? [] : readExams(options.exam, files);
  const examiner = exams.length > 0 ? examinerOf(options, state, terminal) : undefined;
  const policies = await openPolicies(options.policies, options.peer ?? [], options, terminal);
  const subjects = files.map((file) => new Subject(file, options.format));
  const progress = createProgress(terminal, files.length * windows.length * policies.length, 'replaying');
  let done = 0;
  const parts = { policies, subjects, sheets, priceOf, memory, state, exams, examiner };
  const how = { ...parts, isEqual: options.equal === true, draws: { draws: DRAWS, seed } };
  try {
    const rounds: BenchRound[] = [];
    for (const window of windows)
      rounds.push(await roundAt(window, { ...options, ...how, onReplayed: () => progress.at(++done) }));
    progress.done();
    const report: BenchReport = {
      origin,
      policies: policies.map(({ name }) => name),
      packages: Object.fromEntries(policies.flatMap((own) => (own.package ? [[own.name, own.package]] : []))),
      seed,
      draws: DRAWS,
      rounds,
      mended: Object.fromEntries(
        subjects.flatMap(({ file, notices }) => (notices.length > 0 ? [[file, notices]] : [])),
      ),
    };
    if (options.markdown !== undefined) writeResult([benchMarkdown(report)], options.markdown, terminal);
    if (options.html !== undefined) writeResult([benchPage(report)], options.html, terminal);
    writeReport(report, () => benchTables(report, terminal), options, terminal);
    if (before === undefined) return EXIT.done;
    const faults = worseFigures(before, report);
    for (const fault of faults) terminal.note(fault);
    if (faults.length === 0) terminal.note('no figure is worse');
    else terminal.note(`${faults.length} figures are worse than in ${options.check}`);
    return faults.length > 0 ? EXIT.inputAtFault : EXIT.done;
  } finally {
    progress.done();
    for (const policy of policies) policy.close?.();
  }
}

function checkPrice(sheet: string, price: number | null): void {
  if (price === null) throw usageFault('--prices', sheet, 'names of models that have a price sheet');
}

const OPENAI = 'https://api.openai.com/v1';

function examinerOf(
  { endpoint, reader, grader, key }: BenchOptions,
  state: State,
  { env }: Terminal,
): Examiner {
  if (reader === undefined)
    throw usageFault('--exam', 'no --reader', 'the name of a model that reads and answers');
  const url = endpoint ?? env.OPENAI_BASE_URL ?? OPENAI;
  if (!URL.canParse(url)) throw usageFault('--endpoint', url, 'a URL, /v1 included');
  const secret = env[key];
  return createExaminer(
    { url, ...(secret !== undefined && { key: secret }) },
    { reader, grader: grader ?? reader },
    state,
  );
}
