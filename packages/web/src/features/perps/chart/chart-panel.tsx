import { lazy, Suspense, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { books } from '../../../market/book.ts';
import type { CandleInterval } from '../../../market/candles.ts';
import { contexts } from '../../../market/contexts.ts';
import { useSession } from '../../../session/use-session.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { useKept } from '../use-kept.ts';
import { usePositions } from '../use-account.ts';
import { chartLines, type ChartLine } from './chart-lines.ts';
import { DepthChart } from './depth-chart.tsx';
import { FundingView } from './funding-view.tsx';

const PriceChart = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
type View = 'price' | 'depth' | 'funding';
type Extra = 'mark' | 'oracle';

/** The market over time, its depth, and what holding costs. */
export function ChartPanel() {
  const t = useWords();
  const panel = useRef<HTMLElement>(null);
  const [view, setView] = useState<View>('price');
  const [interval, setInterval] = useKept<CandleInterval>('interval', '1m');
  const [isLogarithmic, setIsLogarithmic] = useKept('logarithmic', false);
  const [extra, setExtra] = useKept<readonly Extra[]>('chartLines', []);
  const lines = useLines(extra);
  return (
    <section
      ref={panel}
      aria-label={t('perps.chart.label')}
      className="flex h-full min-h-0 flex-col bg-panel"
    >
      <div className="flex h-9 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-2 desktop:gap-3 [scrollbar-width:none]">
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
            <Segmented
              label={t('perps.chart.interval')}
              size="small"
              value={interval}
              onChange={setInterval}
              segments={INTERVALS.map((value) => ({ value, label: value }))}
            />
            <Switches
              panel={panel}
              extra={extra}
              onExtra={setExtra}
              isLogarithmic={isLogarithmic}
              onLogarithmic={setIsLogarithmic}
            />
          </>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {view === 'depth' && <DepthChart />}
        {view === 'funding' && <FundingView />}
        {view === 'price' && (
          <Suspense fallback={<Loading />}>
            <PriceChart interval={interval} isLogarithmic={isLogarithmic} lines={lines} />
          </Suspense>
        )}
      </div>
    </section>
  );
}

/** What else is drawn, and how large. */
function Switches({
  panel,
  extra,
  onExtra,
  isLogarithmic,
  onLogarithmic,
}: {
  readonly panel: RefObject<HTMLElement | null>;
  readonly extra: readonly Extra[];
  readonly onExtra: (extra: readonly Extra[]) => void;
  readonly isLogarithmic: boolean;
  readonly onLogarithmic: (isOn: boolean) => void;
}) {
  const t = useWords();
  const toggle = (name: Extra): void =>
    onExtra(extra.includes(name) ? extra.filter((other) => other !== name) : [...extra, name]);
  return (
    <span className="ml-auto flex shrink-0 gap-1 max-tablet:hidden">
      {(['mark', 'oracle'] as const).map((name) => (
        <Toggle key={name} isOn={extra.includes(name)} onPress={() => toggle(name)}>
          {t(`perps.chart.${name}`)}
        </Toggle>
      ))}
      <Toggle isOn={isLogarithmic} onPress={() => onLogarithmic(!isLogarithmic)}>
        {t('perps.chart.logarithmic')}
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

function useLines(extra: readonly Extra[]): readonly ChartLine[] {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const { sizeDecimals } = grid;
  const user = useSession()?.address;
  const { orders, triggers } = openOrders.use(user, (state) => state);
  const positions = usePositions();
  const store = contexts.useStore(coin);
  const book = books.useStore({ coin });
  const prices = contexts.use(extra.length === 0 ? undefined : coin, ({ ctx }) => ({
    mark: ctx?.markPx ?? '',
    oracle: ctx?.oraclePx ?? '',
  }));
  return useMemo(() => {
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
  }, [book, coin, extra, orders, perp.index, positions, prices, sizeDecimals, store, t, triggers]);
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
      className="h-6 rounded px-2 text-12 text-muted hover:text-text aria-pressed:bg-raised aria-pressed:text-text"
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
