import { infoRefusal, type Reply } from '@oddlot/host/http';
import { refusal } from '@oddlot/protocol';
import { HistoryAwayError, HistoryBehindError } from '../../../history/history.ts';

const RETRY_SECONDS = 1;

/** What can't be told now but later, with the block that the history has reached; undefined of other errors. */
export function historyRefusal(
  error: unknown,
  query: { readonly minHeight?: number | undefined } = {},
): Reply | undefined {
  const isLater = error instanceof HistoryBehindError || error instanceof HistoryAwayError;
  if (!isLater) return undefined;
  const { height } = error.asOf;
  const { minHeight } = query;
  const allowed = { max: height };
  const details =
    minHeight === undefined ? undefined : { field: 'minHeight', got: minHeight, allowed };
  const reply = infoRefusal(refusal('historyBehind', [height], details));
  return { ...reply, retryAfterSeconds: RETRY_SECONDS };
}
