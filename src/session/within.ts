import { AsyncLocalStorage } from 'node:async_hooks';
import { SpillwayError } from '../errors/index.js';

/** Something that is done by turns, and one turn of it, with the turns of others that it stands in. */
interface Turn {
  readonly of: object;
  readonly around: Turn | undefined;
  isOver: boolean;
}

/** One for all sessions: each storage costs every promise of the process a little. */
const turns = new AsyncLocalStorage<Turn>();

/** The nearest turn that is under way. What was begun in one goes on in it after its end: such are left out. */
const underWay = (turn: Turn | undefined): Turn | undefined => (turn?.isOver ? underWay(turn.around) : turn);

/** Whether this is asked within a turn of `of`, which cannot end before who asks has. */
export function isWithin(of: object): boolean {
  let turn = underWay(turns.getStore());
  while (turn && turn.of !== of) turn = underWay(turn.around);
  return turn !== undefined;
}

/** A task that knows that it is a turn of `of`, and where it was asked for. */
export function turnOf<T>(of: object, task: () => Promise<T>): () => Promise<T> {
  const around = underWay(turns.getStore());
  return async () => {
    const turn: Turn = { of, around, isOver: false };
    try {
      return await turns.run(turn, task);
    } finally {
      turn.isOver = true;
    }
  };
}

/** Of what would wait for ever. */
export const waitsForItself = (what: string, instead: string): SpillwayError =>
  new SpillwayError('CALL_WITHIN_CALL', {
    subject: what,
    found: 'asked for within a call of the same session, which it would wait for',
    remedy: instead,
  });
