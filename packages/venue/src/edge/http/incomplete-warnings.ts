import type { Warning } from '@oddlot/protocol';
import type { AsOf } from '../../history/history.ts';

/**
 * Says that rows are missing which nobody can make any more: the log no longer has their blocks. A query that asks for
 * nothing of that time is answered in full.
 */
export function incompleteWarnings({ since }: AsOf, query: object): readonly Warning[] {
  if (since === undefined) return [];
  const { startTime } = query as { readonly startTime?: unknown };
  if (typeof startTime === 'number' && startTime >= since.timeMs) return [];
  return [
    {
      code: 'HISTORY_INCOMPLETE',
      message: `The history begins with block ${since.height}: there are no rows for earlier blocks`,
      details: { height: since.height, time: since.timeMs },
    },
  ];
}
