/** Rows a statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const MAX_ROWS = 200;
/** Characters a statement: beyond, the statement costs more memory than its round trip saves. */
const MAX_CHARS = 4_000_000;

/** Rows by the statement. */
export function* batches<Row extends { readonly body: string }>(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    if (batch.length > 0 && (batch.length >= MAX_ROWS || chars + row.body.length > MAX_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(row);
    chars += row.body.length;
  }
  if (batch.length > 0) yield batch;
}
