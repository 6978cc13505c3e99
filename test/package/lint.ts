import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT, type Packed } from './project.js';

/** The package has only ES modules: Node itself supports `require` of them, and resolution before Node 12 is unused. */
const ACCEPTED = new Set(['CJSResolvesToESM', 'NoResolution']);

/** The findings of publint and Are The Types Wrong, useless files, and dead links of the README. */
export async function checkLint({ tarball, files }: Packed): Promise<string[]> {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  const said = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  const problems = analysis.types === false ? [{ kind: 'NoTypes' }] : analysis.problems;
  const wrong = problems.filter(({ kind }) => !ACCEPTED.has(kind)).map((problem) => JSON.stringify(problem));
  const useless = files.filter((file) => /\.(?:cache|map|tsbuildinfo)$|\.test\./.test(file));
  const links = ['README.md', 'examples/README.md'].flatMap((page) => deadLinks(page, new Set(files)));
  return [...said, ...wrong, ...useless.map((file) => `${file} serves nobody`), ...links];
}

function deadLinks(page: string, files: ReadonlySet<string>): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) =>
    posix.join(dirname(page), path!),
  );
  const all = [...files];
  const isPacked = (path: string): boolean =>
    files.has(path) || all.some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
  const dead = links.filter((path) => !isPacked(path));
  return dead.filter((path) => existsSync(join(ROOT, path))).map((path) => `${page}: ${path} is not packed`);
}
