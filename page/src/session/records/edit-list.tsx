import type { PlannedEdit } from '../../api/types';
import { exact } from '../../parts/format';
import { Parts } from '../context/message-drawer';

export const sizeOf = (edit: PlannedEdit): number =>
  edit.kind === 'replace' ? edit.size.tokens : edit.sizes.reduce((sum, { tokens }) => sum + tokens, 0);

/** The messages or the part that an edit reaches, in ids of the log. */
export function reachOf(edit: PlannedEdit): string {
  if (edit.kind === 'replace') return `${edit.messageId}, part ${edit.partIndex}`;
  return edit.fromId === edit.toId ? edit.fromId : `${edit.fromId} … ${edit.toId}`;
}

export function EditList({ edits }: { readonly edits: readonly PlannedEdit[] }) {
  return (
    <ul className="edits">
      {edits.map((edit, place) => (
        <li key={place}>
          <details>
            <summary>
              <EditHead edit={edit} />
            </summary>
            <EditWords edit={edit} />
          </details>
        </li>
      ))}
    </ul>
  );
}

export function EditHead({ edit }: { readonly edit: PlannedEdit }) {
  return (
    <>
      <span
        className="mark"
        title={edit.kind === 'replace' ? 'One part is replaced' : 'A span is superseded'}
      >
        {edit.stage}
      </span>{' '}
      <span className="mono">{reachOf(edit)}</span> <span className="soft">{edit.reason}</span>{' '}
      <span className="num soft" title="Tokens of the replacement">
        · replaced by {exact(sizeOf(edit))} tokens
      </span>
    </>
  );
}

export function EditWords({ edit }: { readonly edit: PlannedEdit }) {
  if (edit.kind === 'replace') return <Parts parts={edit.content} />;
  if (edit.replacement.length === 0) return <p className="soft">Nothing replaces it.</p>;
  return (
    <>
      {edit.replacement.map((message) => (
        <Parts key={message.id} parts={message.parts} />
      ))}
    </>
  );
}
