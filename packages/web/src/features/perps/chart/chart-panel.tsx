import { lazy, Suspense, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { saveBlob, useStored } from '../../../lib/browser.ts';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { intervalMs, type CandleInterval } from '../../../market/candles.ts';
import { usePerps } from '../../../market/queries.ts';
import { books, contexts } from '../../../market/streams.ts';
import { venueNow } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { Segmented, Spinner } from '../../../ui/controls.tsx';
import { Menu, type MenuItem } from '../../../ui/overlays.tsx';
import { onDemand } from '../../../ui/states.tsx';
import { changeDraft, draftStore, useDraft } from '../ticket/draft.ts';
import { usePositions, useTradedPerp } from '../use-account.ts';
import { bracketAt, chartLines, draftLines, type ChartLine } from './chart-lines.ts';
import {
  changeDrawings,
  DRAWING_KINDS,
  newDrawing,
  useDrawings,
  withDrawing,
  type DrawingKind,
} from './drawings/drawing.ts';
import type { Compared } from './use-lines.ts';

const PriceChart = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

const DepthChart = onDemand(async () => (await import('./depth-chart.tsx')).DepthChart);
const FundingView = onDemand(async () => (await import('./funding-view.tsx')).FundingView);

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
const MORE_INTERVALS = ['3m', '30m', '2h', '12h', '1w'] as const;
const ALL_INTERVALS = [...INTERVALS, ...MORE_INTERVALS].toSorted(
  (a, b) => intervalMs(a) - intervalMs(b),
);
type View = 'price' | 'depth' | 'funding';

export function ChartPanel() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const panel = useRef<HTMLElement>(null);
  const [view, setView] = useState<View>('price');
  const [interval, setInterval] = useStored<CandleInterval>('interval', '1m');
  const [isLogarithmic, setIsLogarithmic] = useStored('logarithmic', false);
  const [extra, setExtra] = useStored<readonly Extra[]>('chartLines', []);
  const [indicators, setIndicators] = useStored<readonly Indicator[]>('indicators', []);
  const [withPast, setWithPast] = useStored('chartPast', false);
  const [compared, setCompared] = useState<Compared>();
  const [picture, setPicture] = useState<{ readonly take: () => HTMLCanvasElement }>();
  const lines = useLines(extra);
  return (
    <section
      ref={panel}
      aria-label={t('perps.chart.label')}
      className="flex h-full min-h-0 flex-col bg-panel"
    >
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
                withPast={withPast}
                onPast={setWithPast}
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
              withPast={withPast}
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

type Chosen = Readonly<{ value: CandleInterval; onChange: (value: CandleInterval) => void }>;

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

function shownIntervals(chosen: CandleInterval): readonly CandleInterval[] {
  const isShown = (INTERVALS as readonly CandleInterval[]).includes(chosen);
  return isShown ? INTERVALS : [...INTERVALS, chosen];
}

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
        short: t(`perps.chart.${name}`),
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

type Extra = 'mark' | 'oracle';

type Switch = Readonly<{ name: string; onPress: () => void; isOn?: boolean; face?: ReactNode }>;

type ChartSwitchesProps = {
  readonly panel: RefObject<HTMLElement | null>;
  readonly extra: readonly Extra[];
  readonly onExtra: (extra: readonly Extra[]) => void;
  readonly isLogarithmic: boolean;
  readonly onLogarithmic: (isOn: boolean) => void;
  readonly withPast: boolean;
  readonly onPast: (isOn: boolean) => void;
  readonly onPicture: () => void;
};

function ChartSwitches(props: ChartSwitchesProps) {
  const t = useWords();
  const switches = useSwitches(props);
  return (
    <>
      <span className="ms-auto hidden shrink-0 gap-1 @min-[700px]:flex">
        {switches
          .filter(({ isOn }) => isOn === undefined)
          .map(({ face, name, onPress }) => (
            <button
              key={name}
              type="button"
              aria-label={face === undefined ? undefined : name}
              title={face === undefined ? undefined : name}
              onClick={onPress}
              className="h-6 rounded px-1.5 text-12 text-muted hover:text-text @min-[940px]:px-2"
            >
              {face ?? name}
            </button>
          ))}
      </span>
      <span className="flex shrink-0 @max-[700px]:ms-auto">
        <ChartMenu
          label={t('perps.chart.more')}
          items={switches.map(({ isOn, name, onPress }) => ({
            label: name,
            onSelect: onPress,
            isChosen: isOn,
            isToggle: true,
          }))}
        >
          ⋮
        </ChartMenu>
      </span>
    </>
  );
}

function useSwitches({
  panel,
  extra,
  onExtra,
  isLogarithmic,
  onLogarithmic,
  withPast,
  onPast,
  onPicture,
}: ChartSwitchesProps): readonly Switch[] {
  const t = useWords();
  const beginBracket = useBracket();
  const fullScreen = {
    name: t('perps.chart.fullScreen'),
    onPress: () => toggleFullScreen(panel.current),
    face: <FullScreenIcon />,
  };
  return [
    { name: t('perps.chart.bracket'), onPress: beginBracket },
    ...(['mark', 'oracle'] as const).map((name) => ({
      name: t(`perps.chart.${name}`),
      onPress: () => onExtra(toggled(extra, name)),
      isOn: extra.includes(name),
    })),
    {
      name: t('perps.chart.logarithmic'),
      onPress: () => onLogarithmic(!isLogarithmic),
      isOn: isLogarithmic,
    },
    { name: t('perps.chart.past'), onPress: () => onPast(!withPast), isOn: withPast },
    { name: t('perps.chart.picture'), onPress: onPicture, face: <PictureIcon /> },
    ...(document.fullscreenEnabled ? [fullScreen] : []),
  ];
}

function useBracket(): () => void {
  const { coin, grid } = useTradedPerp();
  const store = contexts.useStore(coin);
  return () => {
    const markPx = store.getState().ctx?.markPx;
    if (isDecimal(markPx)) changeDraft(bracketAt(markPx, grid.tick, draftStore.getState().side));
  };
}

function toggleFullScreen(panel: HTMLElement | null): void {
  if (document.fullscreenElement === null) void panel?.requestFullscreen();
  else void document.exitFullscreen();
}

function PictureIcon() {
  return (
    <svg viewBox="0 0 14 12" className="w-3.5" aria-hidden="true">
      <path
        d="M1 3h3l1-1.5h4L10 3h3v8H1zM7 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.2"
      />
    </svg>
  );
}

function FullScreenIcon() {
  return (
    <svg viewBox="0 0 12 12" className="w-3" aria-hidden="true">
      <path
        d="M1 4V1h3M8 1h3v3M11 8v3H8M4 11H1V8"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.3"
      />
    </svg>
  );
}

function DrawMenu({ interval }: { readonly interval: CandleInterval }) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const drawings = useDrawings(perp.name);
  const store = contexts.useStore(coin);
  const begin = (kind: DrawingKind): void => {
    const markPx = store.getState().ctx?.markPx;
    if (!isDecimal(markPx)) return;
    const stepMs = intervalMs(interval);
    const about = { id: crypto.randomUUID(), markPx, nowMs: venueNow(), stepMs, tick: grid.tick };
    changeDrawings(perp.name, (all) => withDrawing(all, newDrawing(kind, about)));
  };
  const items: MenuItem[] = DRAWING_KINDS.map((kind) => ({
    label: t(`perps.drawing.kind.${kind}`),
    onSelect: () => begin(kind),
  }));
  return (
    <ChartMenu
      label={t('perps.drawing.draw')}
      items={[
        ...items,
        { kind: 'line' },
        {
          label: t('perps.drawing.clear'),
          isDanger: true,
          isDisabled: drawings.length === 0,
          onSelect: () => changeDrawings(perp.name, () => []),
        },
      ]}
    >
      ✎
    </ChartMenu>
  );
}

type CompareMenuProps = {
  readonly compared: Compared | undefined;
  readonly onChange: (compared: Compared | undefined) => void;
};

function CompareMenu({ compared, onChange }: CompareMenuProps) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const others = (usePerps().data?.universe ?? []).filter(({ index }) => index !== perp.index);
  return (
    <ChartMenu
      label={t('perps.chart.compare')}
      items={[
        {
          label: t('perps.chart.compareNone'),
          isChosen: compared === undefined,
          onSelect: () => onChange(undefined),
        },
        ...others.map(({ index, name }) => ({
          label: name,
          isChosen: compared?.name === name,
          onSelect: () => onChange({ coin: String(index), name }),
        })),
      ]}
    >
      ⇄
    </ChartMenu>
  );
}

type IndicatorsMenuProps = {
  readonly chosen: readonly Indicator[];
  readonly onChange: (chosen: readonly Indicator[]) => void;
};

function IndicatorsMenu({ chosen, onChange }: IndicatorsMenuProps) {
  const t = useWords();
  return (
    <ChartMenu
      label={t('perps.chart.indicators')}
      items={INDICATORS.map((kind) => ({
        label: t(`perps.chart.indicator.${kind}`),
        isChosen: chosen.includes(kind),
        isToggle: true,
        onSelect: () => onChange(toggled(chosen, kind)),
      }))}
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 12 12"
        className="size-3 fill-none stroke-current stroke-[1.25] @min-[940px]:hidden"
      >
        <path d="M1 9 4 4l3 3 4-6M1 11h10" />
      </svg>
      <span className="@max-[940px]:hidden">{t('perps.chart.indicators')}</span>
    </ChartMenu>
  );
}

function toggled<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item];
}

type ChartMenuProps = Readonly<{ label: string; items: readonly MenuItem[]; children?: ReactNode }>;

function ChartMenu({ label, items, children }: ChartMenuProps) {
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={label}
          title={label}
          className="h-6 shrink-0 rounded px-1.5 text-12 text-muted hover:text-text @min-[940px]:px-2"
        >
          {children ?? label}
        </button>
      }
      items={items}
    />
  );
}

const INDICATORS = ['sma', 'ema', 'vwap', 'bollinger', 'rsi', 'macd', 'profile'] as const;
export type Indicator = (typeof INDICATORS)[number];

export function hasOwnPane(kind: Indicator): boolean {
  return kind === 'rsi' || kind === 'macd';
}
