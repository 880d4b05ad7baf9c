import type { ReactNode } from 'react';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { intervalMs, type CandleInterval } from '../../../market/candles.ts';
import { contexts } from '../../../market/contexts.ts';
import { usePerps } from '../../../market/queries.ts';
import { venueNow } from '../../../market/venue.ts';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { DRAWING_KINDS, newDrawing, withDrawing, type DrawingKind } from './drawings/drawing.ts';
import { changeDrawings, useDrawings } from './drawings/kept-drawings.ts';
import { INDICATORS, type Indicator } from './indicators.ts';
import type { Compared } from './use-comparison.ts';

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

export function toggled<Item>(items: readonly Item[], item: Item): readonly Item[] {
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
