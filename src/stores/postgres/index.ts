export { openPostgres, type PostgresOptions } from './open.js';
