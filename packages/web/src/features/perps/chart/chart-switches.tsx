import type { ReactNode, RefObject } from 'react';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { contexts } from '../../../market/contexts.ts';
import { changeDraft, draftStore } from '../ticket/draft.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { bracketAt } from './chart-lines.ts';
import { type CandleInterval, intervalMs } from '../../../market/candles.ts';
import { usePerps } from '../../../market/queries.ts';
import { venueNow } from '../../../market/venue.ts';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import {
  changeDrawings,
  DRAWING_KINDS,
  type DrawingKind,
  newDrawing,
  useDrawings,
  withDrawing,
} from './drawings/drawing.ts';
import { type Indicator, INDICATORS } from './indicators.ts';
import type { Compared } from './use-lines.ts';

export type Extra = 'mark' | 'oracle';

type Switch = {
  readonly name: string;
  readonly onPress: () => void;
  /** Of one that stays on; the others only do something. */
  readonly isOn?: boolean;
  /** What its button shows instead of its name. */
  readonly face?: ReactNode;
};

type ChartSwitchesProps = {
  readonly panel: RefObject<HTMLElement | null>;
  readonly extra: readonly Extra[];
  readonly onExtra: (extra: readonly Extra[]) => void;
  readonly isLogarithmic: boolean;
  readonly onLogarithmic: (isOn: boolean) => void;
  readonly onPicture: () => void;
};

/** What else is drawn, and how large: beside each other where the chart is wide enough, else in a menu. */
export function ChartSwitches(props: ChartSwitchesProps) {
  const t = useWords();
  const switches = useSwitches(props);
  return (
    <>
      <span className="ms-auto hidden shrink-0 gap-1 @min-[812px]:flex">
        {switches.map(({ face, isOn, name, onPress }) => (
          <button
            key={name}
            type="button"
            aria-pressed={isOn}
            aria-label={face === undefined ? undefined : name}
            title={face === undefined ? undefined : name}
            onClick={onPress}
            className="h-6 rounded px-1.5 text-12 text-muted hover:text-text aria-pressed:bg-raised aria-pressed:text-text @min-[940px]:px-2"
          >
            {face ?? name}
          </button>
        ))}
      </span>
      <span className="ms-auto flex shrink-0 @min-[812px]:hidden">
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
    { name: t('perps.chart.picture'), onPress: onPicture, face: <PictureIcon /> },
    // Browsers of some phones have none.
    ...(document.fullscreenEnabled ? [fullScreen] : []),
  ];
}

/** Puts a bracket into the ticket whose lines are dragged on the chart; the ticket's button sends it. */
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

/** Puts a line over the chart, to be moved to where it is meant. */
export function DrawMenu({ interval }: { readonly interval: CandleInterval }) {
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

/** Another market as a line beside this one. */
export function CompareMenu({
  compared,
  onChange,
}: {
  readonly compared: Compared | undefined;
  readonly onChange: (compared: Compared | undefined) => void;
}) {
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

export function IndicatorsMenu({
  chosen,
  onChange,
}: {
  readonly chosen: readonly Indicator[];
  readonly onChange: (chosen: readonly Indicator[]) => void;
}) {
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
      {/* On most screens there is no room for the word in every language. */}
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

export function ChartMenu({
  label,
  items,
  children,
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the button shows where that is not its name. */
  readonly children?: ReactNode;
}) {
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
