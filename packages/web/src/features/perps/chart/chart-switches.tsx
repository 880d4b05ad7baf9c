import type { ReactNode, RefObject } from 'react';
import { isDecimal } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { contexts } from '../../../market/contexts.ts';
import { changeDraft, draftStore } from '../ticket/draft.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { ChartMenu, toggled } from './chart-menus.tsx';
import { bracketAt } from './draft-lines.ts';

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
