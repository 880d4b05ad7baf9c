import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { add, isDecimal, multiply, onStep, sign, subtract } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { classes } from '../../../ui/class-names.ts';
import { useDesk } from '../desk.ts';
import { useAct } from '../use-act.ts';
import type { ChartLine } from './chart-lines.ts';
import type { Scale } from './line-place.ts';

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
  const { grid } = useDesk();
  const item = useRef<HTMLLIElement>(null);
  // The price under the finger, and after it the one that the venue has not confirmed yet.
  const [moved, setMoved] = useState<string>();
  const { act, canAct, isBusy } = useAct();
  const shown = moved ?? line.price;
  const place = useEffectEvent((): void => {
    if (item.current === null) return;
    const y = scale.toY(shown);
    item.current.style.visibility = y === undefined ? 'hidden' : 'visible';
    if (y !== undefined) item.current.style.transform = `translateY(${y}px)`;
  });
  useEffect(() => scale.onRedraw(() => place()), [scale]);
  useEffect(() => place());
  const send = async (price: string | undefined): Promise<void> => {
    const { move } = line;
    if (price === undefined || price === line.price || move === undefined) {
      setMoved(undefined);
      return;
    }
    await act((trader) => move(trader, price));
    setMoved(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') void send(moved);
    if (event.key === 'Escape') setMoved(undefined);
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const step = event.shiftKey ? multiply(grid.tick, '10') : grid.tick;
    const next = event.key === 'ArrowUp' ? add(shown, step) : subtract(shown, step);
    if (sign(next) > 0) setMoved(onStep(next, grid.tick));
  };
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const top = item.current?.parentElement?.getBoundingClientRect().top ?? 0;
    const price = scale.toPrice(event.clientY - top);
    if (isDecimal(price) && sign(price) > 0) setMoved(price);
  };
  const isMovable = line.move !== undefined && canAct && !isBusy;
  const text = `${line.label} ${number(shown, { decimals: grid.priceDecimals })}`;
  const tag =
    'absolute -top-2.5 right-16 flex h-5 items-center rounded border bg-panel px-1.5 text-11 whitespace-pre';
  return (
    <li
      ref={item}
      className={classes(
        'absolute inset-x-0 top-0 h-0 border-t',
        TONES[line.tone],
        STYLES[line.style],
      )}
    >
      {isMovable ? (
        <button
          type="button"
          role="slider"
          aria-orientation="vertical"
          aria-label={line.label}
          aria-valuenow={Number(shown)}
          aria-valuetext={text}
          className={classes(
            tag,
            TONES[line.tone],
            'pointer-events-auto cursor-ns-resize touch-none',
          )}
          onKeyDown={onKeyDown}
          onBlur={() => !isBusy && setMoved(undefined)}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
          onPointerCancel={() => setMoved(undefined)}
          onPointerUp={(event) => {
            event.currentTarget.releasePointerCapture(event.pointerId);
            void send(moved);
          }}
        >
          {text}
        </button>
      ) : (
        <span className={classes(tag, TONES[line.tone], isBusy && 'opacity-60')}>{text}</span>
      )}
    </li>
  );
}
