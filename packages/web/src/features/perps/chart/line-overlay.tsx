import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import {
  add,
  isDecimal,
  multiply,
  onStep,
  sign,
  subtract,
  toPixels,
} from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { classes } from '../../../ui/classes.ts';
import { notify } from '../../../ui/toast.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { useAct } from '../use-act.ts';
import type { ChartLine } from './chart-lines.ts';
import type { Scale } from './scale.ts';

const TONES = {
  buy: 'border-buy text-buy-strong',
  sell: 'border-sell text-sell-strong',
  accent: 'border-accent text-accent',
  warning: 'border-warning text-warning',
  muted: 'border-faint text-muted',
} as const;

const STYLES = { dashed: 'border-dashed', dotted: 'border-dotted', solid: '' } as const;

/** Lines over the chart. Those that can be moved are dragged, or stepped by arrow keys and sent by Enter. */
export function LineOverlay({
  lines,
  scale,
}: {
  readonly lines: readonly ChartLine[];
  readonly scale: Scale;
}) {
  const t = useWords();
  return (
    <ul
      aria-label={t('perps.chart.lines')}
      className="pointer-events-none absolute inset-0 z-10 overflow-hidden"
    >
      {lines.map((line) => (
        <Line key={line.id} line={line} scale={scale} />
      ))}
    </ul>
  );
}

function Line({ line, scale }: { readonly line: ChartLine; readonly scale: Scale }) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const item = useRef<HTMLLIElement>(null);
  const { canMove, isBusy, move, moved, send } = useMove(line);
  const shown = moved ?? line.price;
  const place = useEffectEvent((): void => {
    if (item.current === null) return;
    const y = scale.toY(shown);
    item.current.style.visibility = y === undefined ? 'hidden' : 'visible';
    item.current.style.right = `${scale.axisWidth()}px`;
    if (y !== undefined) item.current.style.transform = `translateY(${y}px)`;
  });
  useEffect(() => scale.onRedraw(() => place()), [scale]);
  useEffect(() => place());
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const top = item.current?.parentElement?.getBoundingClientRect().top ?? 0;
    move(scale.toPrice(event.clientY - top));
  };
  const warning = moved === undefined ? undefined : line.warn?.(moved);
  const text = [
    `${line.label} ${number(shown, { decimals: grid.priceDecimals })}`,
    ...(warning === undefined ? [] : [t(`perps.line.${warning}`)]),
  ].join(' · ');
  const tone = warning === undefined ? line.tone : 'warning';
  const tag = classes(
    'absolute -top-2.5 right-2 flex h-5 items-center rounded border bg-panel px-1.5 text-11 whitespace-pre',
    TONES[tone],
  );
  const stroke = classes(TONES[tone], STYLES[line.style]);
  return (
    <li ref={item} className={classes('absolute top-0 left-0 h-0 border-t', stroke)}>
      {canMove ? (
        <button
          type="button"
          role="slider"
          aria-orientation="vertical"
          aria-label={line.label}
          aria-valuenow={toPixels(shown)}
          aria-valuetext={text}
          className={classes(tag, 'pointer-events-auto cursor-ns-resize touch-none')}
          onKeyDown={(event) => onKey(event, { shown, moved, tick: grid.tick, move, send })}
          onBlur={() => move(undefined)}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
          onPointerCancel={() => move(undefined)}
          onPointerUp={() => send(moved)}
        >
          {text}
        </button>
      ) : (
        <span className={classes(tag, isBusy && 'opacity-60')}>{text}</span>
      )}
    </li>
  );
}

type Move = {
  /** The price under the finger, and after it the one that the venue has not confirmed yet. */
  readonly moved: string | undefined;
  readonly canMove: boolean;
  readonly isBusy: boolean;
  readonly move: (price: string | undefined) => void;
  readonly send: (price: string | undefined) => void;
};

function useMove(line: ChartLine): Move {
  const t = useWords();
  const [moved, setMoved] = useState<string>();
  const { act, canAct, isBusy } = useAct();
  const give = line.move;
  return {
    moved,
    canMove: give !== undefined && canAct && !isBusy,
    isBusy,
    move: (price) => {
      if (isBusy) return;
      if (price === undefined || (isDecimal(price) && sign(price) > 0)) setMoved(price);
    },
    send: (price) => {
      if (price === undefined || price === line.price || give === undefined) {
        setMoved(undefined);
        return;
      }
      if (line.warn?.(price) === 'firesNow') {
        notify({ title: t('perps.amend.firesNow'), tone: 'warning' });
        setMoved(undefined);
        return;
      }
      void act((trader) => give(trader, price)).then(() => setMoved(undefined));
    },
  };
}

/** A tick by an arrow, ten with the shift key; Enter sends, Escape puts it back. */
function onKey(
  event: KeyboardEvent,
  {
    shown,
    moved,
    tick,
    move,
    send,
  }: Pick<Move, 'moved' | 'move' | 'send'> & { readonly shown: string; readonly tick: string },
): void {
  if (event.key === 'Enter') send(moved);
  if (event.key === 'Escape') move(undefined);
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  const step = event.shiftKey ? multiply(tick, '10') : tick;
  move(onStep(event.key === 'ArrowUp' ? add(shown, step) : subtract(shown, step), tick));
}
