import { lazy, Suspense, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { saveBlob } from '../../../lib/csv.ts';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { books } from '../../../market/book.ts';
import type { CandleInterval } from '../../../market/candles.ts';
import { contexts } from '../../../market/contexts.ts';
import { useSession } from '../../../session/use-session.ts';
import { onDemand } from '../../../ui/late.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { changeDraft, draftStore, useDraft } from '../ticket/draft.ts';
import { useKept } from '../use-kept.ts';
import { usePositions } from '../use-account.ts';
import { chartLines, type ChartLine } from './chart-lines.ts';
import { bracketAt, draftLines } from './draft-lines.ts';
import { ChartMenu, CompareMenu, DrawMenu, IndicatorsMenu, toggled } from './chart-menus.tsx';
import type { Indicator } from './indicators.ts';
import type { Compared } from './use-comparison.ts';

const PriceChart = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

const DepthChart = onDemand(async () => (await import('./depth-chart.tsx')).DepthChart);
const FundingView = onDemand(async () => (await import('./funding-view.tsx')).FundingView);

/** Those beside each other, and those behind them in a menu. */
const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
const MORE_INTERVALS = ['3m', '30m', '2h', '12h', '1w'] as const;
type View = 'price' | 'depth' | 'funding';
type Extra = 'mark' | 'oracle';

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
      <div className="flex h-9 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-2 wide:gap-3 [scrollbar-width:none]">
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
            <Switches
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

function Intervals({
  value,
  onChange,
}: {
  readonly value: CandleInterval;
  readonly onChange: (value: CandleInterval) => void;
}) {
  const t = useWords();
  return (
    <>
      <Segmented
        label={t('perps.chart.interval')}
        size="small"
        value={value}
        onChange={onChange}
        segments={shownIntervals(value).map((each) => ({ value: each, label: each }))}
      />
      <ChartMenu
        label={t('perps.chart.moreIntervals')}
        items={MORE_INTERVALS.map((each) => ({
          label: each,
          isChosen: each === value,
          onSelect: () => onChange(each),
        }))}
      >
        …
      </ChartMenu>
    </>
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

/** What else is drawn, and how large. */
function Switches({
  panel,
  extra,
  onExtra,
  isLogarithmic,
  onLogarithmic,
  onPicture,
}: {
  readonly panel: RefObject<HTMLElement | null>;
  readonly extra: readonly Extra[];
  readonly onExtra: (extra: readonly Extra[]) => void;
  readonly isLogarithmic: boolean;
  readonly onLogarithmic: (isOn: boolean) => void;
  readonly onPicture: () => void;
}) {
  const t = useWords();
  const toggle = (name: Extra): void => onExtra(toggled(extra, name));
  return (
    <span className="ms-auto flex shrink-0 gap-1 max-tablet:hidden">
      <BracketButton />
      {(['mark', 'oracle'] as const).map((name) => (
        <Toggle key={name} isOn={extra.includes(name)} onPress={() => toggle(name)}>
          {t(`perps.chart.${name}`)}
        </Toggle>
      ))}
      <Toggle isOn={isLogarithmic} onPress={() => onLogarithmic(!isLogarithmic)}>
        {t('perps.chart.logarithmic')}
      </Toggle>
      <Toggle isOn={false} onPress={onPicture}>
        <svg viewBox="0 0 14 12" className="w-3.5" role="img" aria-label={t('perps.chart.picture')}>
          <path
            d="M1 3h3l1-1.5h4L10 3h3v8H1zM7 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.2"
          />
        </svg>
      </Toggle>
      <Toggle
        isOn={false}
        onPress={() =>
          void (document.fullscreenElement === null
            ? panel.current?.requestFullscreen()
            : document.exitFullscreen())
        }
      >
        <svg
          viewBox="0 0 12 12"
          className="w-3"
          role="img"
          aria-label={t('perps.chart.fullScreen')}
        >
          <path
            d="M1 4V1h3M8 1h3v3M11 8v3H8M4 11H1V8"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.3"
          />
        </svg>
      </Toggle>
    </span>
  );
}

/** Puts a bracket into the ticket whose lines are dragged on the chart; the ticket's button sends it. */
function BracketButton() {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const store = contexts.useStore(coin);
  const begin = (): void => {
    const markPx = store.getState().ctx?.markPx;
    if (isDecimal(markPx)) changeDraft(bracketAt(markPx, grid.tick, draftStore.getState().side));
  };
  return (
    <Toggle isOn={false} onPress={begin}>
      {t('perps.chart.bracket')}
    </Toggle>
  );
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

function Toggle({
  isOn,
  onPress,
  children,
}: {
  readonly isOn: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className="h-6 rounded px-1.5 text-12 text-muted hover:text-text aria-pressed:bg-raised aria-pressed:text-text wide:px-2"
    >
      {children}
    </button>
  );
}

function Loading() {
  return (
    <div className="flex h-full items-center justify-center text-muted">
      <Spinner />
    </div>
  );
}
