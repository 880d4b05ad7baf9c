import type { AsOf } from '../../../history/history.ts';
import type { RowPosition } from '../../../history/rows/block-rows.ts';
import type { Place } from './cursor.ts';

/**
 * Pages of a list whose rows move to its front when they change, such as orders. Whoever reads it from the front to
 * its end would never see what moves there behind them. So behind the last row come the rows that
 * changed since the first page, in the order in which they did: what changes once more meanwhile comes
 * once more, and the list ends when nothing has changed behind what was shown.
 */

/** Which rows a page asks for. */
export type Direction = {
  readonly cursor?: RowPosition;
  readonly order?: 'oldestFirst';
};

type Asked<Answer> = { readonly answer: Answer; readonly asOf: AsOf };

/** Behind all rows of a block; a database may count them with 32 bits. */
const INDEX_MAX = 2 ** 31 - 1;

export async function pageOfMoving<Answer extends { readonly next: RowPosition | null }>(
  from: Place | undefined,
  ask: (direction: Direction) => Promise<Asked<Answer>>,
  /** Whether there is a row behind a position, in the order in which they changed. */
  hasBehind: (position: RowPosition) => Promise<boolean>,
): Promise<Asked<Answer> & { readonly next: Place | null }> {
  if (from?.since !== undefined && from.isBack === true) {
    const { answer, asOf } = await ask({ cursor: from.at, order: 'oldestFirst' });
    const { since } = from;
    return { answer, asOf, next: answer.next && { at: answer.next, since, isBack: true } };
  }
  const { answer, asOf } = await ask(from === undefined ? {} : { cursor: from.at });
  const since = from?.since ?? ([asOf.timeMs, asOf.height, INDEX_MAX] as const);
  if (answer.next !== null) return { answer, asOf, next: { at: answer.next, since } };
  // The first page is of one moment.
  const isWhole = from === undefined || !(await hasBehind(since));
  return { answer, asOf, next: isWhole ? null : { at: since, since, isBack: true } };
}
