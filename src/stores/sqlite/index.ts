export { openSqlite, type SqliteOptions } from './open.js';
