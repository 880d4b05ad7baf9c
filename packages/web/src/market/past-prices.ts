import { useQuery } from '@tanstack/react-query';
import { toPixels } from '../lib/decimal.ts';
import { queryClient } from './queries.ts';
import { reader, venueNow } from './venue.ts';

/** A made-up price of before this venue began; here it is a pixel to be. */
export type PastPrice = { readonly timeMs: number; readonly value: number; readonly text: string };

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const NONE: readonly PastPrice[] = [];

/** Such prices of the last day, or of a week; none where prices are real, or the venue is older than that. */
function pastQuery(symbol: string, span: 'day' | 'week') {
  return {
    queryKey: ['pastPrices', symbol, span],
    queryFn: async (): Promise<readonly PastPrice[]> => {
      const endTime = venueNow();
      const startTime = endTime - (span === 'day' ? DAY_MS : WEEK_MS);
      const asked = { symbol, startTime, endTime, variant: 'before' };
      const { data } = await reader.info.cryptoPriceHistory(asked);
      return data.map(({ timestamp, value }) => ({
        timeMs: timestamp,
        value: toPixels(value),
        text: value,
      }));
    },
    // It never changes but for how much of it is within the span.
    staleTime: DAY_MS / 24,
  };
}

export function usePastPrices(symbol: string, span: 'day' | 'week'): readonly PastPrice[] {
  return useQuery(pastQuery(symbol, span)).data ?? NONE;
}

/** The same outside of components; where the venue does not answer there are none. */
export async function pastPrices(symbol: string): Promise<readonly PastPrice[]> {
  return queryClient.fetchQuery(pastQuery(symbol, 'day')).catch(() => NONE);
}

/** The prices at whole steps before a moment, as many as there are up to a bound, oldest first. */
export function pastLine(
  past: readonly PastPrice[],
  { beforeMs, stepMs, max }: { beforeMs: number; stepMs: number; max: number },
): readonly { readonly timeMs: number; readonly value: number }[] {
  const line: { timeMs: number; value: number }[] = [];
  let at = past.length - 1;
  for (let timeMs = beforeMs - stepMs; line.length < max; timeMs -= stepMs) {
    while (at > 0 && past[at]!.timeMs > timeMs) at -= 1;
    const [from, to] = [past[at], past[at + 1]];
    if (from === undefined || from.timeMs > timeMs) break;
    // After the last one it stays: the venue began a moment later.
    const share = to === undefined ? 0 : (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
    line.push({ timeMs, value: from.value + share * ((to ?? from).value - from.value) });
  }
  return line.reverse();
}
