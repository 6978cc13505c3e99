import type { ReactNode } from 'react';

/** A column: its name, what it counts, and how it is aligned. */
export interface Column {
  readonly name: string;
  readonly why?: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isWide?: boolean;
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The table's rows. */
  readonly children: ReactNode;
}

/** A table that scrolls within its own box if it is wider than the screen, also by keyboard. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="list">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} className={classOf(column)} title={column.why}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const classOf = ({ isNumber = false, isWide = false }: Column): string =>
  [isNumber && 'right', isWide && 'wide'].filter(Boolean).join(' ');
