export type { Move, Note, Rows, Target, ThreadRow, Value, Writer } from './rows.js';
export { SqlStore } from './store.js';
export { migrationsOf, type Database, type Dialect, type Migrations, type Tables } from './tables.js';
