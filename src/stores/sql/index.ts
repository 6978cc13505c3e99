export type { Dialect, ScoredRow, WordIndex } from './dialect.js';
export { migrationsOf } from './migrations.js';
export type { Migrations } from './migrate.js';
export type { IndexRows, Move, Note, Rows, Target, ThreadRow, Value } from './rows.js';
export { SqlStore, type SqlParts } from './store.js';
export type { Database, Open, Tables } from './tables.js';
export type { Writer } from './writer.js';
