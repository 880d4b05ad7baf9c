import { lazy, Suspense, useMemo, useRef, useState, type ReactNode } from 'react';
import { saveBlob } from '../../../lib/csv.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { books } from '../../../market/book.ts';
import { intervalMs, type CandleInterval } from '../../../market/candles.ts';
import { contexts } from '../../../market/contexts.ts';
import { useSession } from '../../../session/session.ts';
import { onDemand } from '../../../ui/late.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Spinner } from '../../../ui/empty-state.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { useDraft } from '../ticket/draft.ts';
import { useKept } from '../use-kept.ts';
import { usePositions } from '../use-account.ts';
import { type ChartLine, chartLines, draftLines } from './chart-lines.ts';
import {
  ChartMenu,
  ChartSwitches,
  CompareMenu,
  DrawMenu,
  type Extra,
  IndicatorsMenu,
} from './chart-switches.tsx';
import type { Indicator } from './indicators.ts';
import type { Compared } from './use-lines.ts';

const PriceChart = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

const DepthChart = onDemand(async () => (await import('./depth-chart.tsx')).DepthChart);
const FundingView = onDemand(async () => (await import('./funding-view.tsx')).FundingView);

/** Those beside each other, and those behind them in a menu; where there is little room all are in one. */
const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
const MORE_INTERVALS = ['3m', '30m', '2h', '12h', '1w'] as const;
const ALL_INTERVALS = [...INTERVALS, ...MORE_INTERVALS].toSorted(
  (a, b) => intervalMs(a) - intervalMs(b),
);
type View = 'price' | 'depth' | 'funding';

/** The market over time, its depth, and what holding costs. */
export function ChartPanel() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const panel = useRef<HTMLElement>(null);
  const [view, setView] = useState<View>('price');
  const [interval, setInterval] = useKept<CandleInterval>('interval', '1m');
  const [isLogarithmic, setIsLogarithmic] = useKept('logarithmic', false);
  const [extra, setExtra] = useKept<readonly Extra[]>('chartLines', []);
  const [indicators, setIndicators] = useKept<readonly Indicator[]>('indicators', []);
  const [compared, setCompared] = useState<Compared>();
  const [picture, setPicture] = useState<{ readonly take: () => HTMLCanvasElement }>();
  const lines = useLines(extra);
  return (
    <section
      ref={panel}
      aria-label={t('perps.chart.label')}
      className="flex h-full min-h-0 flex-col bg-panel"
    >
      {/* What stands in it goes by the room that the chart has, which is another for each layout. */}
      <div className="@container h-9 shrink-0 border-b border-line">
        <div className="flex h-full items-center gap-1 overflow-x-auto px-2 [scrollbar-width:none] @min-[940px]:gap-3">
          <Segmented
            label={t('perps.chart.view')}
            size="small"
            value={view}
            onChange={setView}
            segments={(['price', 'depth', 'funding'] as const).map((value) => ({
              value,
              label: t(`perps.chart.views.${value}`),
            }))}
          />
          {view === 'price' && (
            <>
              <span className="h-4 w-px shrink-0 bg-line max-tablet:hidden" />
              <Intervals value={interval} onChange={setInterval} />
              <IndicatorsMenu chosen={indicators} onChange={setIndicators} />
              <CompareMenu compared={compared} onChange={setCompared} />
              <DrawMenu interval={interval} />
              <ChartSwitches
                panel={panel}
                extra={extra}
                onExtra={setExtra}
                isLogarithmic={isLogarithmic}
                onLogarithmic={setIsLogarithmic}
                onPicture={() => void savePicture(picture?.take(), perp.name, interval)}
              />
            </>
          )}
        </div>
      </div>
      <div className="min-h-0 flex-1">
        {view === 'depth' && <DepthChart />}
        {view === 'funding' && <FundingView />}
        {view === 'price' && (
          <Suspense fallback={<Loading />}>
            <PriceChart
              interval={interval}
              isLogarithmic={isLogarithmic}
              indicators={indicators}
              compared={compared}
              lines={lines}
              onDrawn={setPicture}
            />
          </Suspense>
        )}
      </div>
    </section>
  );
}

type Chosen = {
  readonly value: CandleInterval;
  readonly onChange: (value: CandleInterval) => void;
};

function Intervals({ value, onChange }: Chosen) {
  const t = useWords();
  const name = t('perps.chart.interval');
  return (
    <>
      <span className="hidden items-center gap-1 @min-[556px]:flex">
        <Segmented
          label={name}
          size="small"
          value={value}
          onChange={onChange}
          segments={shownIntervals(value).map((each) => ({ value: each, label: each }))}
        />
        <IntervalMenu
          label={t('perps.chart.moreIntervals')}
          intervals={MORE_INTERVALS}
          value={value}
          onChange={onChange}
        >
          …
        </IntervalMenu>
      </span>
      <span className="flex shrink-0 @min-[556px]:hidden">
        <IntervalMenu
          label={`${name} ${value}`}
          intervals={ALL_INTERVALS}
          value={value}
          onChange={onChange}
        >
          {value} ▾
        </IntervalMenu>
      </span>
    </>
  );
}

function IntervalMenu({
  label,
  intervals,
  value,
  onChange,
  children,
}: Chosen & {
  readonly label: string;
  readonly intervals: readonly CandleInterval[];
  readonly children: ReactNode;
}) {
  return (
    <ChartMenu
      label={label}
      items={intervals.map((each) => ({
        label: each,
        isChosen: each === value,
        onSelect: () => onChange(each),
      }))}
    >
      {children}
    </ChartMenu>
  );
}

/** One from the menu stands beside the others as long as it is chosen. */
function shownIntervals(chosen: CandleInterval): readonly CandleInterval[] {
  const isShown = (INTERVALS as readonly CandleInterval[]).includes(chosen);
  return isShown ? INTERVALS : [...INTERVALS, chosen];
}

/** The chart as a file; what lies over it, such as the lines of orders, is its owner's and not on it. */
async function savePicture(
  canvas: HTMLCanvasElement | undefined,
  market: string,
  interval: string,
): Promise<void> {
  const picture = await new Promise<Blob | null>((resolve) => {
    if (canvas === undefined) resolve(null);
    else canvas.toBlob(resolve, 'image/png');
  });
  if (picture !== null) saveBlob(`${market} ${interval}.png`, picture);
}

function useLines(extra: readonly Extra[]): readonly ChartLine[] {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const { lot, sizeDecimals } = grid;
  const draft = useDraft();
  const user = useSession()?.address;
  const { orders, triggers } = openOrders.use(user, (state) => state);
  const positions = usePositions();
  const store = contexts.useStore(coin);
  const book = books.useStore({ coin });
  const prices = contexts.use(extra.length === 0 ? undefined : coin, ({ ctx }) => ({
    mark: ctx?.markPx ?? '',
    oracle: ctx?.oraclePx ?? '',
  }));
  const shown = useMemo(() => {
    const own = chartLines(
      {
        positions: positions.filter(({ position }) => position.asset === coin),
        orders: orders.filter(
          ({ instrumentId, isTrigger }) => instrumentId === perp.index && !isTrigger,
        ),
        triggers: triggers.filter(({ asset }) => asset === coin),
        markOf: () => store.getState().ctx?.markPx ?? '0',
        bestAgainst: (isBuy) => book.getState().book?.levels[isBuy ? 1 : 0][0]?.px,
        sizeDecimals,
        lot,
      },
      t,
    );
    const market = extra
      .filter((name) => prices[name] !== '')
      .map((name) => ({
        id: name,
        price: prices[name],
        label: t(`perps.chart.${name}`),
        tone: 'muted' as const,
        style: 'dotted' as const,
      }));
    return [...market, ...own];
  }, [
    book,
    coin,
    extra,
    lot,
    orders,
    perp.index,
    positions,
    prices,
    sizeDecimals,
    store,
    t,
    triggers,
  ]);
  return useMemo(() => [...shown, ...draftLines(draft, t)], [draft, shown, t]);
}

function Loading() {
  return (
    <div className="flex h-full items-center justify-center text-muted">
      <Spinner />
    </div>
  );
}
