import { useState } from 'react';
import type { LogEntry, ShownMessage } from '../../api/types';
import { count, counted } from '../../parts/format';
import { Close, Open } from '../../parts/icons';
import { LogCell, SentCell } from './message-cell';
import type { Pair } from './pairs';

/** The number of messages that an unfolded span shows at once; a button shows more. */
const SPAN_PAGE = 100;

interface RowProps {
  readonly pair: Pair;
  readonly side: Side;
  readonly onOriginal: (id: string) => void;
  readonly onSent: (message: ShownMessage) => void;
}

/** The columns that a row shows: a narrow screen has room for only one. */
export type Side = 'both' | 'log' | 'sent';

export function PairRow({ pair, side, onOriginal, onSent }: RowProps) {
  return (
    <div className="pair" data-kind={pair.kind}>
      {side !== 'sent' && (
        <div className="side">
          {pair.kind === 'superseded' ? (
            <Span entries={pair.log} onOpen={onOriginal} />
          ) : (
            pair.log.map((entry) => <LogCell key={entry.id} entry={entry} onOpen={onOriginal} />)
          )}
        </div>
      )}
      {side !== 'log' && (
        <div className="side">
          {pair.sent.length === 0 ? (
            <p className="nothing soft">nothing replaces them</p>
          ) : (
            pair.sent.map((message) => <SentCell key={message.id} message={message} onOpen={onSent} />)
          )}
        </div>
      )}
    </div>
  );
}

/** A superseded span, folded. */
function Span({
  entries,
  onOpen,
}: {
  readonly entries: readonly LogEntry[];
  readonly onOpen: (id: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [limit, setLimit] = useState(SPAN_PAGE);
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) return <p className="nothing soft">these are in the row above</p>;
  const tokens = entries.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const why = [...new Set(entries.map(({ by }) => by && `${by.stage}: ${by.reason}`).filter(Boolean))];
  return (
    <>
      <button type="button" className="span" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <Close size={12} /> : <Open size={12} />}
        <b>{counted(entries.length, 'message')}</b>
        <span className="mono soft">{first === last ? first.id : `${first.id} … ${last.id}`}</span>
        <span className="cell-end num soft" title="Tokens as they were written; none of them are sent">
          {count(tokens)}
        </span>
        <span className="span-why soft">{why.slice(0, 2).join('; ') || 'dropped'}</span>
      </button>
      {isOpen && (
        <div className="span-in">
          {entries.slice(0, limit).map((entry) => (
            <LogCell key={entry.id} entry={entry} onOpen={onOpen} />
          ))}
          {entries.length > limit && (
            <button type="button" className="span" onClick={() => setLimit(limit + SPAN_PAGE)}>
              {counted(entries.length - limit, 'more message')}
            </button>
          )}
        </div>
      )}
    </>
  );
}
