import { Button, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import { counted } from './format';

export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="in" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={14} mb={10} width={`${92 - row * 11}%`} radius="sm" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="state">
      <b>{title}</b>
      {children}
    </div>
  );
}

export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <div className="state" role="alert">
      <b className="bad">{error instanceof ApiError ? error.code : 'Something went wrong on this page'}</b>
      <p>{messageOf(error)}</p>
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The number of sessions that an answer about all sessions leaves out. */
export function SkippedNote({ skipped = 0 }: { readonly skipped?: number | undefined }) {
  if (skipped === 0) return null;
  return (
    <p className="soft" role="note">
      Left out: {counted(skipped, 'session')} that cannot be read. The list of sessions shows which.
    </p>
  );
}

/** Shows the error of a view in its place, so the rest of the page works. Another `resetKey` draws the view anew. */
export class Boundary extends Component<
  { readonly resetKey: string; readonly children: ReactNode },
  { readonly resetKey?: string; readonly thrown?: { readonly error: unknown } | undefined }
> {
  override state: { readonly thrown?: { readonly error: unknown } } = {};

  static getDerivedStateFromProps(
    { resetKey }: { readonly resetKey: string },
    before: { readonly resetKey?: string },
  ) {
    return before.resetKey === resetKey ? null : { resetKey, thrown: undefined };
  }

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } };
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    return thrown ? <Failed error={thrown.error} onRetry={() => location.reload()} /> : this.props.children;
  }
}

/** The message without its code, which is shown above it or is for programs. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^[A-Z_]{4,}: /, '');

/** Shows a query: loading, failed, or its answer. The answer stays on the page while the query is fetched again. */
export function Answer<Said>({
  query,
  rows,
  children,
}: {
  readonly query: UseQueryResult<Said>;
  readonly rows?: number;
  readonly children: (said: Said) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(rows !== undefined && { rows })} />;
}
