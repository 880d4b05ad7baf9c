import { texts } from 'words:perps';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { PerpMeta } from '@oddlot/sdk';
import { addWords, useWords } from '../../lib/words.ts';
import { usePerp, usePerps } from '../../market/queries.ts';
import { SkipLink, useHotkey } from '../../ui/keyboard.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { gridOf, TradedPerpContext } from './traded-perp.ts';
import { MarketNotice } from './market-notice.tsx';
import { MarketStrip } from './market-strip.tsx';
import { DesktopLayout, PhoneLayout, TabletLayout } from './layouts.tsx';
import { clearDraft, focusTicket, TICKET } from './ticket/draft.ts';
import { useWidth } from './use-width.ts';
import { Spinner } from '../../ui/button.tsx';

addWords(texts);

export function Screen() {
  const t = useWords();
  const { market = '' }: { readonly market?: string } = useParams({ strict: false });
  const { data, error } = usePerps();
  const perp = usePerp(market);
  if (perp !== undefined) return <Terminal key={perp.index} perp={perp} />;
  if (data === undefined && error === null) {
    return (
      <div
        className="flex h-full items-center justify-center text-muted"
        aria-label={t('app.loading')}
      >
        <Spinner />
      </div>
    );
  }
  return (
    <EmptyState
      title={t('perps.noMarket', { name: market })}
      text={t('perps.noMarketText')}
      action={
        <Link to="/" className="text-accent hover:underline">
          {t('app.toMarkets')}
        </Link>
      }
    />
  );
}

function Terminal({ perp }: { readonly perp: PerpMeta }) {
  const t = useWords();
  const width = useWidth();
  // On smaller screens it is behind the two buttons at the bottom.
  const hasTicket = width === 'desktop' || width === 'wide';
  useHotkey('t', focusTicket);
  // A price of this market means nothing in the next one.
  useEffect(() => clearDraft, []);
  // Asked for again and again, and the same until an operator changes it.
  const fingerprint = JSON.stringify(perp);
  // A halt changes the market, not its steps: charts and books stay as they are.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the grid is made of
  const grid = useMemo(() => gridOf(perp), [perp.priceTick, perp.szDecimals]);
  const traded = useMemo(
    () => ({ perp, grid, coin: String(perp.index) }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the fingerprint stands for the market
    [fingerprint, grid],
  );
  return (
    <TradedPerpContext value={traded}>
      <div className="flex h-full min-h-0 flex-col max-tablet:h-auto max-tablet:min-h-full">
        {hasTicket && (
          <SkipLink to={TICKET} onFollow={focusTicket}>
            {t('perps.ticket.skip')}
          </SkipLink>
        )}
        <MarketStrip />
        <MarketNotice />
        {width === 'phone' ? (
          <PhoneLayout />
        ) : width === 'tablet' ? (
          <TabletLayout />
        ) : (
          <DesktopLayout isWide={width === 'wide'} />
        )}
      </div>
    </TradedPerpContext>
  );
}
