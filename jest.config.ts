/** @jest-config-loader esbuild-register */
import { statfsSync } from 'node:fs';
import { env } from 'node:process';
import type { Config } from 'jest';

/** A store writes through to its disk; on one that is busy the suite would only wait. */
const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;
if (env.TMPDIR === undefined && freeBytes(IN_MEMORY) >= ROOM_BYTES) env.TMPDIR = IN_MEMORY;

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

const config: Config = {
  // Node's own context: docs/decisions/0055-tests-in-nodes-own-context.md.
  testEnvironment: '<rootDir>/scripts/bare-environment.mjs',
  // One copy of `src` and of packages a worker: docs/decisions/0063-one-copy-of-src-for-a-worker.md.
  runtime: '<rootDir>/scripts/shared-modules.cjs',
  // A hang must fail; whole contracts, other processes and servers on a busy machine must not.
  testTimeout: 180_000,
  // By default one core is left idle: of two, half.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/scripts/long-first.mjs',
  // Node 20 keeps a part of each file's modules. A new worker loads all of `src` and its packages again.
  workerIdleMemoryLimit: '1GB',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  reporters: ['default', '<rootDir>/scripts/tally.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^spillway$': '<rootDir>/src/index.ts',
    '^spillway/(openai|anthropic|ai-sdk|langchain|opentelemetry)$': '<rootDir>/src/faces/adapters/$1.ts',
    '^spillway/(adapters|importers|server)$': '<rootDir>/src/faces/$1/index.ts',
    '^spillway/(.*)$': '<rootDir>/src/$1/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
};
export default config;
