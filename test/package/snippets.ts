import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typeFaults } from './compilers.js';
import { copyOf, ROOT, type Packed } from './project.js';

const PACKAGES = ['@opentelemetry/api', 'inversify', 'openai', 'reflect-metadata'];

/** Names that pages use without a declaration, because the reader has them. */
const AT_HAND = `
  import type { OpenAI as Client } from 'openai';
  import type { Container } from 'inversify';
  import type * as s from 'spillway';
  import type * as containers from 'spillway/container';
  import type * as dropIn from 'spillway/openai';
  import type * as spi from 'spillway/spi';
  import type * as zod from 'zod';
  declare global {
    const createSpillway: typeof s.createSpillway;
    const recalledText: typeof s.recalledText;
    const compactOpenAI: typeof dropIn.compactOpenAI;
    const OpenAI: typeof Client;
    const SERVICES: typeof containers.SERVICES;
    type ZodType<T> = zod.ZodType<T>;
    type TranscriptView = spi.TranscriptView;
    type StageGoal<T> = spi.StageGoal<T>;
    type Made<T> = spi.Made<T>;
    type Proposal = spi.Proposal;
    const spillway: s.Spillway;
    const session: s.Session;
    const container: Container;
    const message: s.Message;
    const usage: s.Usage;
    const call: { readonly arguments: string };
    const client: { chat(messages: readonly unknown[]): Promise<string> };
    const view: spi.TranscriptView;
    const answered: Set<string>;
    const tool: string;
    const polls: spi.CompactionStage;
    const PollsStage: new () => spi.CompactionStage;
    const openMine: () => Promise<spi.SessionStore>;
    const platform: { readonly name: string };
    const contextPolicy: (of: typeof platform) => Parameters<Container['load']>[0];
    const ROSTER: NonNullable<NonNullable<s.SpillwayOptions['settings']>['roster']>;
    const metered: (counter: spi.TokenCounter) => spi.TokenCounter;
    const audited: (recall: containers.Services['Recall']) => containers.Services['Recall'];
    const pricesFor: (config: s.EffectiveConfig, catalogue: s.Catalogue) => s.PriceOf;
  }
  export {};
`;

/** A block that only shows the form of a value, or quotes an example that is compiled elsewhere. */
const isQuoted = (text: string): boolean => text.startsWith('{ ') || text.includes('ACME.');

/** Compiles every block of TypeScript in the README and the docs, each as a module of its own. */
export function checkSnippets(packed: Packed): string[] {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((file) => `docs/${String(file)}`)
    .filter((file) => file.endsWith('.md'));
  const snippets = ['README.md', 'site/index.md', ...pages].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].flatMap(([, text], nth) => {
      const name = `${page.replaceAll(/\W/g, '-')}-${nth + 1}.ts`;
      return isQuoted(text!) ? [] : [[name, `${text}export {};\n`] as const];
    }),
  );
  const project = copyOf(join(packed.folder, 'bare'), packed, 'snippets', PACKAGES);
  return typeFaults(project, { 'at-hand.d.ts': AT_HAND, ...Object.fromEntries(snippets) });
}
