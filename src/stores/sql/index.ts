export type { Change, Rows, Statement, Target, Value, Writer } from './rows.js';
export { openSql, type SqlOptions } from './store.js';
export { migrationsOf, type Database, type Dialect, type Migrations, type Tables } from './tables.js';
