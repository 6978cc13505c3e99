import type { LogEntry, ShownMessage } from '../../api/types';
import { count, exact } from '../../parts/format';
import { Pin } from '../../parts/icons';
import { kindOf, wordsOf } from './words';

const PREVIEW_CHARS = 400;

/** A message of the log: its beginning, and what became of it. */
export function LogCell({
  entry,
  onOpen,
}: {
  readonly entry: LogEntry;
  readonly onOpen: (id: string) => void;
}) {
  const { id, role, status, tokensBefore, preview, chars, label } = entry;
  const why = entry.by ? `${entry.by.stage}: ${entry.by.reason}` : undefined;
  return (
    <button type="button" className="cell" data-status={status} onClick={() => onOpen(id)}>
      <span className="cell-head">
        <b className="role" data-role={role}>
          {label ?? role}
        </b>
        <span className="mono soft">{id}</span>
        {status === 'pinned' && (
          <span className="mark" title="Pinned: no stage may touch it">
            <Pin size={11} /> pinned
          </span>
        )}
        {(status === 'replaced' || status === 'superseded') && (
          <span className="mark" title={why ?? 'Dropped'}>
            {status}
            {entry.by ? ` by ${entry.by.stage}` : ''}
            {entry.record === undefined ? '' : ` · ${entry.record}`}
          </span>
        )}
        <span className="cell-end num soft" title={`${exact(tokensBefore)} tokens as it was written`}>
          {count(tokensBefore)}
        </span>
      </span>
      <span className="cell-text">
        {preview}
        {chars > preview.length ? ' …' : ''}
      </span>
    </button>
  );
}

/** A message as it is sent to the model. */
export function SentCell({
  message,
  onOpen,
}: {
  readonly message: ShownMessage;
  readonly onOpen: (message: ShownMessage) => void;
}) {
  const { role, parts, tokens, status, by, id } = message;
  const words = parts
    .map((part) => (part.type === 'tool-call' ? `${kindOf(part)} ${wordsOf(part)}` : wordsOf(part)))
    .join('\n');
  return (
    <button type="button" className="cell" data-status={status} onClick={() => onOpen(message)}>
      <span className="cell-head">
        <b className="role" data-role={role}>
          {role}
        </b>
        <span className="mono soft">{id}</span>
        {status !== 'original' && (
          <span className="mark accent" title={by ? `${by.stage}: ${by.reason}` : status}>
            {status === 'summary' ? 'replaces them' : 'replaces it'}
            {by ? ` · ${by.stage}` : ''}
          </span>
        )}
        <span className="cell-end num soft" title={`${exact(tokens)} tokens as it is sent`}>
          {count(tokens)}
        </span>
      </span>
      <span className="cell-text">
        {words.slice(0, PREVIEW_CHARS)}
        {words.length > PREVIEW_CHARS ? ' …' : ''}
      </span>
    </button>
  );
}
