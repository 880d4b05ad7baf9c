import type { OutcomeEventMeta } from '@oddlot/sdk';
import { isLike } from '../lib/is-like.ts';

/** What an event can have before it. */
export type Moment = 'start_time' | 'end_time';

/** Those whose titles are like what is wanted, by when they open or end: the venue lists both by their end. */
export function comingOf(
  events: readonly OutcomeEventMeta[],
  { moment, wanted }: { readonly moment: Moment; readonly wanted: string },
): readonly OutcomeEventMeta[] {
  return events.filter(({ title }) => isLike(title, wanted)).sort((a, b) => a[moment] - b[moment]);
}
