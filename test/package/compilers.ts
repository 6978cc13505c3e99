import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, run } from './project.js';

/** Options as in a project's `tsconfig.json`. */
export type Options = Readonly<Record<string, unknown>>;

const STRICT: Options = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
};

/**
 * TypeScript's errors in these files, and in the declarations of spillway that they reach: TypeScript 6 with Node's
 * resolution, TypeScript 7 with a bundler's. TypeScript 7 cannot check only our declarations, and takes four times as
 * long for those of all packages, so it does so only if `more` asks (`skipLibCheck: false`): once, with every client.
 */
export function typeFaults(
  project: string,
  files: Readonly<Record<string, string>>,
  more: Options = {},
): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const names = Object.keys(files);
  const node16 = { ...STRICT, module: 'Node16', moduleResolution: 'Node16', ...more };
  const bundler = { ...STRICT, skipLibCheck: true, module: 'ESNext', moduleResolution: 'Bundler', ...more };
  return [
    ...asked6(project, names, node16).map((fault) => `TypeScript 6, Node16: ${fault}`),
    ...asked7(project, names, bundler).map((fault) => `TypeScript 7, Bundler: ${fault}`),
  ];
}

/** Errors in a client's own declarations are ignored. */
const isOurs = (file: string): boolean => !/node_modules\/(?!spillway\/)/.test(file);

/** Libraries of TypeScript, parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function asked6(project: string, names: readonly string[], given: Options): string[] {
  const { options, errors } = ts.convertCompilerOptionsFromJson(given, project);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getCurrentDirectory = () => project;
  host.getSourceFile = (file, language, ...rest) => {
    if (!/[\\/]typescript[\\/]lib[\\/]/.test(file)) return read(file, language, ...rest);
    if (!parsed.has(file)) parsed.set(file, read(file, language, ...rest));
    return parsed.get(file);
  };
  const roots = names.map((name) => join(project, name));
  const program = ts.createProgram(roots, options, host);
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(project) && isOurs(fileName.slice(project.length)));
  const faults = [
    ...errors,
    ...program.getGlobalDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  return faults.map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const where = file ? `${file.fileName.slice(project.length + 1)}:${line}` : 'options';
    return `${where} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const TSC_7 = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
/** `node_modules/spillway/dist/index.d.ts(3,14): error TS2322: ...`; without a file if options are wrong. */
const FAULT = /^(?:(?<file>.+)\((?<line>\d+),\d+\): )?error TS\d+: (?<what>.*)$/;

function asked7(project: string, names: readonly string[], compilerOptions: Options): string[] {
  writeFileSync(
    join(project, 'tsconfig.bundler.json'),
    JSON.stringify({ compilerOptions, files: names }, undefined, 2),
  );
  const { out, err, status } = run(
    process.execPath,
    [TSC_7, '-p', 'tsconfig.bundler.json', '--pretty', 'false'],
    project,
  );
  if (status === 0) return [];
  const faults = out.split(/\r?\n/).flatMap((line) => {
    const found = FAULT.exec(line)?.groups;
    return found ? [found] : [];
  });
  if (faults.length === 0) return [`${out.trim()} ${err.trim()} (exit ${status})`];
  return faults
    .filter(({ file = '' }) => isOurs(file.replaceAll('\\', '/')))
    .map(({ file, line, what }) => `${file === undefined ? 'options' : `${file}:${line}`} ${what}`);
}
