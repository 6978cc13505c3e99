/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  testEnvironment: 'node',
  // A hang must fail, a busy machine must not.
  testTimeout: 60_000,
  // By default one core is left idle: of two, half.
  maxWorkers: '100%',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  reporters: ['default', '<rootDir>/scripts/tally.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^spillway$': '<rootDir>/src/index.ts',
    '^spillway/container$': '<rootDir>/src/container.ts',
    '^spillway/(openai|anthropic|ai-sdk|langchain)$': '<rootDir>/src/adapters/$1.ts',
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
