import { marketView, seriesOutlook } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import type { LocalReplica } from '../replica/local-replica.ts';

/** Says at the start of a market that it has no price to beat: somebody will have to decide it by hand (R-series). */
export function logMissingStrikes(
  replica: Pick<LocalReplica, 'isReplaying' | 'onBlock' | 'state'>,
  log: Pick<Logger, 'warn'>,
): void {
  replica.onBlock(({ result }) => {
    if (replica.isReplaying) return;
    for (const event of result.events) {
      const opens =
        (event.type === 'marketPhaseChanged' && event.to === 'open' && event.from === 'upcoming') ||
        (event.type === 'outcomeMarketListed' && event.phase === 'open');
      if (!opens) continue;
      const { instrumentId } = event;
      if (seriesOutlook(replica.state, instrumentId)?.strike !== 'missing') continue;
      const market = marketView(replica.state, instrumentId)?.definition.slug;
      const why = 'series market started without a price to beat: too few reference prices';
      log.warn({ market, instrumentId }, `${why}; the deployer must resolve it after it ends`);
    }
  });
}
