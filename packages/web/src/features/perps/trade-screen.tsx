import { texts } from 'words:perps';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { PerpMeta } from '@oddlot/sdk';
import { dateTime } from '../../lib/time.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { usePerp, usePerps } from '../../market/queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { DeskContext } from './desk.ts';
import { gridOf } from './grid.ts';
import { MarketStrip } from './market-strip.tsx';
import { DesktopLayout, PhoneLayout, TabletLayout } from './layouts.tsx';
import { clearDraft } from './ticket/draft.ts';
import { useWidth } from './use-width.ts';

addWords(texts);

/** The perps terminal. */
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
  const width = useWidth();
  // A price of this market means nothing in the next one.
  useEffect(() => clearDraft, []);
  // Asked for again and again, and the same until an operator changes it.
  const fingerprint = JSON.stringify(perp);
  const desk = useMemo(
    () => ({ perp, grid: gridOf(perp), coin: String(perp.index) }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the fingerprint stands for the market
    [fingerprint],
  );
  return (
    <DeskContext value={desk}>
      <div className="flex h-full min-h-0 flex-col max-tablet:h-auto max-tablet:min-h-full">
        <MarketStrip />
        <Notice perp={perp} />
        {width === 'phone' ? (
          <PhoneLayout />
        ) : width === 'tablet' ? (
          <TabletLayout />
        ) : (
          <DesktopLayout isWide={width === 'wide'} />
        )}
      </div>
    </DeskContext>
  );
}

/** What is unusual about the market. */
function Notice({ perp }: { readonly perp: PerpMeta }) {
  const t = useWords();
  if (!perp.haltTrading && !perp.delisted) return null;
  const text = perp.delisted
    ? perp.closingTime === null
      ? t('perps.notice.delisted')
      : t('perps.notice.closing', { time: dateTime(perp.closingTime) })
    : t('perps.notice.halted');
  return (
    <p
      role="status"
      className="shrink-0 border-b border-line bg-warning/10 px-3 py-1.5 text-12 text-warning"
    >
      {text}
    </p>
  );
}
