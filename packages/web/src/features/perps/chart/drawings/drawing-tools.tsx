import { useEffect, useEffectEvent, useRef, useState, type PointerEvent } from 'react';
import { useWords } from '../../../../lib/words.ts';
import { Button } from '../../../../ui/controls.tsx';
import { Colours } from '../colours.tsx';
import {
  DASHES,
  pointsOf,
  USUAL_STYLE,
  WIDTH_MAX,
  type Drawing,
  type DrawingKind,
  type DrawingPoint,
  type DrawingStyle,
} from './drawing.ts';

type PlacingProps = {
  readonly kind: DrawingKind;
  readonly pointAt: (event: PointerEvent<HTMLElement>) => DrawingPoint | undefined;
  readonly onPreview: (points: readonly DrawingPoint[]) => void;
  readonly onPlace: (points: readonly DrawingPoint[]) => void;
  readonly onPlaceAtMark: () => void;
  readonly onCancel: () => void;
};

const DRAG_PX = 5;

/** Sets a new drawing's points from presses or a drag, or places the drawing at the mark. */
export function Placing(props: PlacingProps) {
  const { kind, pointAt, onPreview, onPlace, onPlaceAtMark, onCancel } = props;
  const t = useWords();
  const [first, setFirst] = useState<DrawingPoint & { readonly x: number; readonly y: number }>();
  const place = useRef<HTMLDivElement>(null);
  useEscape(onCancel);
  // The menu that starts a drawing closes, so otherwise the focus would be lost.
  useEffect(() => place.current?.querySelector('button')?.focus(), []);
  const take = (event: PointerEvent<HTMLElement>): void => {
    const point = pointAt(event);
    if (point === undefined) return;
    if (pointsOf(kind) === 1) onPlace([point]);
    else if (first === undefined) setFirst({ ...point, x: event.clientX, y: event.clientY });
    else onPlace([first, point]);
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>): void => {
    if (first === undefined) return;
    const distance = Math.hypot(event.clientX - first.x, event.clientY - first.y);
    const point = pointAt(event);
    if (distance >= DRAG_PX && point !== undefined) onPlace([first, point]);
  };
  return (
    <div ref={place} className="absolute inset-0 z-20">
      <div
        role="presentation"
        className="absolute inset-0 cursor-crosshair touch-none"
        onPointerDown={take}
        onPointerMove={(event) => {
          const point = pointAt(event);
          if (first !== undefined && point !== undefined) onPreview([first, point]);
        }}
        onPointerUp={onPointerUp}
      />
      <p className="absolute start-1/2 top-8 flex w-max max-w-[calc(100%-16px)] -translate-x-1/2 flex-wrap items-center justify-center gap-2 rounded border border-line bg-raised px-2 py-1 text-12">
        <span role="status">
          {t(`perps.drawing.place.${pointsOf(kind) === 1 ? 'one' : 'two'}`)}
        </span>
        <Button size="small" onClick={onPlaceAtMark}>
          {t('perps.drawing.atMark')}
        </Button>
        <Button size="small" kind="quiet" onClick={onCancel}>
          {t('perps.drawing.cancel')}
        </Button>
      </p>
    </div>
  );
}

type StyleBarProps = {
  readonly drawing: Drawing;
  readonly onStyle: (style: DrawingStyle) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
};

/** Changes the style of the selected drawing. */
export function StyleBar({ drawing, onStyle, onRemove, onClose }: StyleBarProps) {
  const t = useWords();
  const style = drawing.style ?? USUAL_STYLE;
  const { dash, width } = style;
  useEscape(onClose);
  return (
    <div
      role="group"
      aria-label={t('perps.drawing.style')}
      className="absolute start-1/2 top-8 z-20 flex -translate-x-1/2 items-center gap-2 rounded border border-line bg-raised px-2 py-1"
    >
      <Colours value={style.colour} onChange={(colour) => onStyle({ ...style, colour })} />
      <Button size="small" onClick={() => onStyle({ ...style, width: (width % WIDTH_MAX) + 1 })}>
        {t('perps.drawing.width', { width })}
      </Button>
      <Button
        size="small"
        onClick={() => {
          const next = DASHES[(DASHES.indexOf(dash) + 1) % DASHES.length]!;
          onStyle({ ...style, dash: next });
        }}
      >
        {t(`perps.drawing.dash.${dash}`)}
      </Button>
      <Button size="small" onClick={onRemove}>
        {t('perps.drawing.remove')}
      </Button>
      <Button size="small" kind="quiet" aria-label={t('perps.drawing.cancel')} onClick={onClose}>
        ✕
      </Button>
    </div>
  );
}

function useEscape(act: () => void): void {
  const onKey = useEffectEvent(({ key }: globalThis.KeyboardEvent): void => {
    if (key === 'Escape') act();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
