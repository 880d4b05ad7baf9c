import { lazy, Suspense, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { saveBlob } from '../../../lib/browser.ts';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import type { CandleInterval } from '../../../market/candles.ts';
import { usePerps } from '../../../market/queries.ts';
import { books, contexts } from '../../../market/streams.ts';
import { useSession } from '../../../session/session.ts';
import { Segmented, Spinner } from '../../../ui/controls.tsx';
import { Menu, type MenuItem } from '../../../ui/overlays.tsx';
import { onDemand } from '../../../ui/states.tsx';
import { changeDraft, draftStore, useDraft } from '../ticket/draft.ts';
import { usePositions, useTradedPerp } from '../use-account.ts';
import { bracketAt, chartLines, draftLines, type ChartLine } from './chart-lines.ts';
import {
  beginDrawing,
  changeDrawings,
  DRAWING_KINDS,
  redoDrawing,
  undoDrawing,
  useDrawings,
  usePast,
} from './drawings/drawing.ts';
import type { Compared } from './use-lines.ts';
import {
  ALL_INTERVALS,
  CANDLE_PRICES,
  INTERVALS,
  MORE_INTERVALS,
  useChartSettings,
  type ChangeChart,
  type ChartSettings,
  type Extra,
} from './chart-settings.ts';

const PriceChart = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

const DepthChart = onDemand(async () => (await import('./depth-chart.tsx')).DepthChart);
const IndicatorsDialog = onDemand(
  async () => (await import('./indicators/indicators-dialog.tsx')).IndicatorsDialog,
);
const FundingView = onDemand(async () => (await import('./funding-view.tsx')).FundingView);

type View = 'price' | 'depth' | 'funding';

type ChartPanelProps = {
  /** Distinguishes charts shown side by side, which have separate settings. */
  readonly slot?: string;
  /** The control that selects the market, if the chart does not follow the ticket's market. */
  readonly market?: ReactNode;
};

export function ChartPanel({ slot = '', market }: ChartPanelProps) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const panel = useRef<HTMLElement>(null);
  const [view, setView] = useState<View>('price');
  const [settings, change] = useChartSettings(perp.name, slot);
  const [compared, setCompared] = useState<Compared>();
  const [isChoosing, setIsChoosing] = useState(false);
  const [isReplaying, setIsReplaying] = useState(false);
  const [picture, setPicture] = useState<{ readonly take: () => HTMLCanvasElement }>();
  const lines = useLines(settings.extra, slot === '');
  return (
    <section
      ref={panel}
      aria-label={t(slot === '' ? 'perps.chart.label' : 'perps.layout.panel.chart2')}
      className="flex h-full min-h-0 flex-col bg-panel"
    >
      <div className="@container h-9 shrink-0 border-b border-line">
        <div className="scroll-row flex h-full items-center gap-1 px-2 @min-[940px]:gap-3">
          {market}
          <ViewChoice value={view} onChange={setView} />
          {view === 'price' && (
            <ChartTools
              slot={slot}
              panel={panel}
              settings={settings}
              onChange={change}
              compared={compared}
              onCompared={setCompared}
              hasTicket={slot === ''}
              onReplay={() => setIsReplaying(!isReplaying)}
              onIndicators={() => setIsChoosing(true)}
              onPicture={
                picture && (() => void savePicture(picture.take(), perp.name, settings.interval))
              }
            />
          )}
        </div>
      </div>
      <div className="min-h-0 flex-1">
        {view === 'depth' && <DepthChart />}
        {view === 'funding' && <FundingView />}
        {view === 'price' && (
          <Suspense fallback={<Loading />}>
            <PriceChart
              slot={slot}
              settings={settings}
              compared={compared}
              lines={lines}
              onDrawn={setPicture}
              onIndicators={() => setIsChoosing(true)}
              isReplaying={isReplaying}
              onReplayEnd={() => setIsReplaying(false)}
            />
          </Suspense>
        )}
      </div>
      {isChoosing && (
        <IndicatorsDialog
          indicators={settings.indicators}
          onChange={(indicators) => change({ indicators })}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </section>
  );
}

type ViewChoiceProps = { readonly value: View; readonly onChange: (view: View) => void };

function ViewChoice({ value, onChange }: ViewChoiceProps) {
  const t = useWords();
  return (
    <Segmented
      label={t('perps.chart.view')}
      size="small"
      value={value}
      onChange={onChange}
      segments={(['price', 'depth', 'funding'] as const).map((each) => ({
        value: each,
        label: t(`perps.chart.views.${each}`),
      }))}
    />
  );
}

type ChartToolsProps = ChartSwitchesProps & {
  readonly slot: string;
  readonly compared: Compared | undefined;
  readonly onCompared: (compared: Compared | undefined) => void;
  readonly onIndicators: () => void;
};

function ChartTools({ slot, compared, onCompared, onIndicators, ...rest }: ChartToolsProps) {
  const { onChange, settings } = rest;
  return (
    <>
      <span className="h-4 w-px shrink-0 bg-line max-tablet:hidden" />
      <Intervals settings={settings} onChange={onChange} />
      <IndicatorsButton onPress={onIndicators} />
      <CompareMenu compared={compared} onChange={onCompared} />
      <DrawMenu slot={slot} />
      <ChartSwitches {...rest} />
    </>
  );
}

type Chosen = Readonly<{ value: CandleInterval; onChange: (value: CandleInterval) => void }>;

type IntervalsProps = { readonly settings: ChartSettings; readonly onChange: ChangeChart };

function Intervals({ settings: { interval: value }, onChange: change }: IntervalsProps) {
  const t = useWords();
  const onChange = (interval: CandleInterval): void => change({ interval });
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
  canvas: HTMLCanvasElement,
  market: string,
  interval: string,
): Promise<void> {
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture !== null) saveBlob(`${market} ${interval}.png`, picture);
}

function useLines(extra: readonly Extra[], hasTicket: boolean): readonly ChartLine[] {
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
  return useMemo(
    () => (hasTicket ? [...shown, ...draftLines(draft, t)] : shown),
    [draft, hasTicket, shown, t],
  );
}

function Loading() {
  return (
    <div className="flex h-full items-center justify-center text-muted">
      <Spinner />
    </div>
  );
}

type Switch = Readonly<{
  name: string;
  /** The handler is undefined while the switch cannot be pressed. */
  onPress: (() => void) | undefined;
  isOn?: boolean;
  face?: ReactNode;
  /** True if the switch is only in the menu, even on a wide chart. */
  isInMenu?: boolean;
}>;

type ChartSwitchesProps = {
  readonly panel: RefObject<HTMLElement | null>;
  readonly settings: ChartSettings;
  readonly onChange: ChangeChart;
  /** True for the chart of the market that the ticket trades. */
  readonly hasTicket: boolean;
  readonly onReplay: () => void;
  /** The handler is undefined until the chart has been drawn. */
  readonly onPicture: (() => void) | undefined;
};

function ChartSwitches(props: ChartSwitchesProps) {
  const t = useWords();
  const { onChange, settings } = props;
  const switches = useSwitches(props);
  return (
    <>
      <span className="ms-auto hidden shrink-0 gap-1 @min-[700px]:flex">
        {switches
          .filter(({ isInMenu, isOn }) => isOn === undefined && isInMenu !== true)
          .map(({ face, name, onPress }) => (
            <button
              key={name}
              type="button"
              aria-label={face === undefined ? undefined : name}
              title={face === undefined ? undefined : name}
              disabled={onPress === undefined}
              onClick={onPress}
              className="h-6 rounded px-1.5 text-12 text-muted hover:text-text disabled:opacity-40 @min-[940px]:px-2"
            >
              {face ?? name}
            </button>
          ))}
      </span>
      <span className="flex shrink-0 @max-[700px]:ms-auto">
        <ChartMenu
          label={t('perps.chart.more')}
          items={[
            ...CANDLE_PRICES.map((price) => ({
              label: t(`perps.chart.candles.${price}`),
              onSelect: () => onChange({ price }),
              isChosen: settings.price === price,
            })),
            { kind: 'line' },
            ...switches.map(({ isOn, name, onPress }) => ({
              label: name,
              onSelect: onPress ?? (() => undefined),
              isDisabled: onPress === undefined,
              isChosen: isOn,
              isToggle: true,
            })),
          ]}
        >
          ⋮
        </ChartMenu>
      </span>
    </>
  );
}

function useSwitches({
  panel,
  settings: { extra, isLogarithmic, withPast },
  onChange,
  hasTicket,
  onReplay,
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
    ...(hasTicket ? [{ name: t('perps.chart.bracket'), onPress: beginBracket }] : []),
    ...(['mark', 'oracle'] as const).map((name) => ({
      name: t(`perps.chart.${name}`),
      onPress: () => onChange({ extra: toggled(extra, name) }),
      isOn: extra.includes(name),
    })),
    {
      name: t('perps.chart.logarithmic'),
      onPress: () => onChange({ isLogarithmic: !isLogarithmic }),
      isOn: isLogarithmic,
    },
    { name: t('perps.replay.label'), onPress: onReplay, isInMenu: true },
    {
      name: t('perps.chart.past'),
      onPress: () => onChange({ withPast: !withPast }),
      isOn: withPast,
    },
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

function DrawMenu({ slot }: { readonly slot: string }) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const drawings = useDrawings(perp.name);
  const { canRedo, canUndo } = usePast(perp.name);
  const items: MenuItem[] = DRAWING_KINDS.map((kind) => ({
    label: t(`perps.drawing.kind.${kind}`),
    onSelect: () => beginDrawing({ chart: slot, kind }),
  }));
  return (
    <ChartMenu
      label={t('perps.drawing.draw')}
      items={[
        ...items,
        { kind: 'line' },
        {
          label: t('perps.drawing.undo'),
          isDisabled: !canUndo,
          onSelect: () => undoDrawing(perp.name),
        },
        {
          label: t('perps.drawing.redo'),
          isDisabled: !canRedo,
          onSelect: () => redoDrawing(perp.name),
        },
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

function IndicatorsButton({ onPress }: { readonly onPress: () => void }) {
  const t = useWords();
  const label = t('perps.chart.indicators');
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={label}
      title={label}
      onClick={onPress}
      className="h-6 shrink-0 rounded px-1.5 text-12 text-muted hover:text-text @min-[940px]:px-2"
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 12 12"
        className="size-3 fill-none stroke-current stroke-[1.25] @min-[940px]:hidden"
      >
        <path d="M1 9 4 4l3 3 4-6M1 11h10" />
      </svg>
      <span className="@max-[940px]:hidden">{label}</span>
    </button>
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
