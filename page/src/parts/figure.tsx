import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** A single figure with a label; on hover it explains itself. */
export function Figure({
  label,
  why,
  children,
}: {
  readonly label: string;
  readonly why: string;
  readonly children: ReactNode;
}) {
  return (
    <Tooltip label={why}>
      <div className="figure">
        <dt>{label}</dt>
        <dd>{children}</dd>
      </div>
    </Tooltip>
  );
}

/** A number within a line or a table. */
export function Num({ why, children }: { readonly why: string; readonly children: ReactNode }) {
  return (
    <span className="num" title={why}>
      {children}
    </span>
  );
}
