import { Button, Checkbox, Textarea } from '@mantine/core';
import type { PlannedEdit } from '../../api/types';
import { wordsOf } from '../context/words';
import { EditHead, EditWords, reachOf } from '../records/edit-list';

interface PlanEditsProps {
  readonly edits: readonly PlannedEdit[];
  readonly struck: ReadonlySet<number>;
  readonly text: Readonly<Record<string, string>>;
  readonly mayChange: boolean;
  readonly onStrike: (at: number) => void;
  /** Undefined restores the original words. */
  readonly onText: (at: number, words: string | undefined) => void;
}

/** The edits of a plan. Each can be struck or reworded. */
export function PlanEdits({ edits, struck, text, mayChange, onStrike, onText }: PlanEditsProps) {
  return (
    <ul className="edits" aria-label="Edits of the plan">
      {edits.map((edit, at) => {
        const words = textOf(edit);
        const reworded = text[at];
        return (
          <li key={at} data-struck={struck.has(at)}>
            <Checkbox
              size="xs"
              className="strike"
              checked={!struck.has(at)}
              disabled={!mayChange}
              onChange={() => onStrike(at)}
              aria-label={`Do this: ${edit.stage} on ${reachOf(edit)}`}
              title="Leave it out of the plan"
            />
            <details>
              <summary>
                <EditHead edit={edit} />
              </summary>
              {reworded === undefined ? (
                <>
                  <EditWords edit={edit} />
                  {words !== undefined && mayChange && (
                    <Button variant="default" mt={8} onClick={() => onText(at, words)}>
                      Reword
                    </Button>
                  )}
                </>
              ) : (
                <>
                  <Textarea
                    aria-label={`Words for ${reachOf(edit)}`}
                    autosize
                    minRows={3}
                    maxRows={18}
                    value={reworded}
                    onChange={(event) => onText(at, event.currentTarget.value)}
                    classNames={{ input: 'mono' }}
                  />
                  <Button variant="default" mt={8} onClick={() => onText(at, undefined)}>
                    Restore
                  </Button>
                </>
              )}
            </details>
          </li>
        );
      })}
    </ul>
  );
}

/** The text that an operator may reword: that of a part, or of the message that replaces a span. */
function textOf(edit: PlannedEdit): string | undefined {
  if (edit.kind === 'replace') return edit.content.map(wordsOf).join('\n');
  return edit.replacement[0]?.parts.map(wordsOf).join('\n');
}
