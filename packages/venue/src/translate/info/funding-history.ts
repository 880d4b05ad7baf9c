import { perpDefinitions } from '@oddlot/engine';
import { LIMITS, type FundingHistoryRow } from '@oddlot/protocol';
import { formatRateE10 } from '../format.ts';
import { answer, type InfoHandler, instrumentNotFound } from './handler.ts';

/** What the hours of a perp came to, oldest first; a market is told by its name or by its id. */
export const fundingHistory: InfoHandler<'fundingHistory', FundingHistoryRow[]> = (
  { markets, state },
  { coin, endTime = state.timeMs, startTime },
) => {
  const perp = perpDefinitions(state).find(
    ({ instrumentId, name }) => name === coin || String(instrumentId) === coin,
  );
  if (perp === undefined) return instrumentNotFound('coin', coin);
  const points = markets.fundings.between(perp.instrumentId, startTime, endTime);
  return answer(
    points.slice(0, LIMITS.fundingHistoryMax).map(([time, rateE10, premiumE10]) => ({
      coin: perp.name,
      fundingRate: formatRateE10(rateE10),
      premium: formatRateE10(premiumE10),
      time,
    })),
  );
};
