import type { L2Book, Level } from '@oddlot/sdk';
import { useRef, useState, type PointerEvent } from 'react';
import { toPixels } from '../../../lib/decimal.ts';
import { number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { useDrawing } from '../../../market/frame.ts';
import { books } from '../../../market/streams.ts';
import { fitted, FONT, palette, type Palette } from '../../../ui/canvas.ts';
import { useTradedPerp, type Grid } from '../use-account.ts';

export function DepthChart() {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = books.useStore({ coin });
  const [pointerX, setPointerX] = useState<number>();
  useDrawing(canvas, [store], () => {
    const { book } = store.getState();
    if (canvas.current === null || book === undefined) return;
    drawDepth(canvas.current, book, {
      base: perp.baseCurrency,
      grid,
      pointerX,
    });
  });
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={t('perps.chart.depth')}
      className="h-full w-full"
      onPointerMove={(event: PointerEvent<HTMLCanvasElement>) =>
        setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left)
      }
      onPointerLeave={() => setPointerX(undefined)}
    />
  );
}

type Point = { readonly price: number; readonly total: number };

type Frame = {
  readonly context: CanvasRenderingContext2D;
  readonly colours: Palette;
  readonly width: number;
  readonly height: number;
  readonly baseline: number;
  readonly middle: number;
  readonly reach: number;
  readonly most: number;
  readonly x: (price: number) => number;
  readonly y: (total: number) => number;
  readonly shown: (price: number) => string;
  readonly sized: (total: number) => string;
};

export function drawDepth(
  canvas: HTMLCanvasElement,
  book: L2Book,
  {
    base,
    grid: { priceDecimals, sizeDecimals },
    pointerX,
  }: { readonly base: string; readonly grid: Grid; readonly pointerX: number | undefined },
): void {
  const room = fitted(canvas);
  const [bids, asks] = [pointsOf(book.levels[0]), pointsOf(book.levels[1])];
  const [bid, ask, lastBid, lastAsk] = [bids[0], asks[0], bids.at(-1), asks.at(-1)];
  if (room === undefined || !bid || !ask || !lastBid || !lastAsk) return;
  const { height, width } = room;
  const baseline = height - 24;
  const middle = (bid.price + ask.price) / 2;
  const reach = Math.max(reachOf(bids, middle), reachOf(asks, middle));
  const most = Math.max(totalWithin(bids, middle, reach), totalWithin(asks, middle, reach));
  const colours = palette();
  const frame: Frame = {
    ...room,
    colours,
    baseline,
    middle,
    reach,
    x: (price) => width / 2 + ((price - middle) / reach) * (width / 2 - 8),
    most,
    y: (total) => baseline - (total / most) * (baseline - 32),
    shown: (price) => number(price.toFixed(priceDecimals), { decimals: priceDecimals }),
    sized: (total) => `${number(total.toFixed(sizeDecimals), { decimals: sizeDecimals })} ${base}`,
  };
  drawTotals(frame);
  drawSide(frame, bids, { colour: colours.buy, edge: 0 });
  drawSide(frame, asks, { colour: colours.sell, edge: width });
  drawAxis(frame);
  if (pointerX !== undefined) drawPointer(frame, { pointerX, bids, asks });
}

const FAR = 4;
const SHARE = 0.95;

/**
 * Returns the displayed price range around the mid. Distant orders are cut off, because they would
 * compress the rest of the range.
 */
function reachOf(points: readonly Point[], middle: number): number {
  const distances = points.map(({ price }) => Math.abs(price - middle));
  const usual = distances[Math.floor((distances.length - 1) / 2)] ?? 0;
  const wanted = (points.at(-1)?.total ?? 0) * SHARE;
  const enough = distances[points.findIndex(({ total }) => total >= wanted)] ?? 0;
  return Math.max(distances[0] ?? 0, Math.min(enough, usual * FAR));
}

function totalWithin(points: readonly Point[], middle: number, reach: number): number {
  const inside = points.filter(({ price }) => Math.abs(price - middle) <= reach);
  return inside.at(-1)?.total ?? points[0]?.total ?? 0;
}

function drawSide(
  { context, baseline, width, x, y }: Frame,
  points: readonly Point[],
  { colour, edge }: { readonly colour: string; readonly edge: number },
): void {
  context.beginPath();
  context.moveTo(x(points[0]?.price ?? 0), baseline);
  let last = baseline;
  for (const { price, total } of points) {
    if (x(price) < 0 || x(price) > width) break;
    context.lineTo(x(price), last);
    last = y(total);
    context.lineTo(x(price), last);
  }
  context.lineTo(edge, last);
  context.strokeStyle = colour;
  context.stroke();
  context.lineTo(edge, baseline);
  context.closePath();
  context.globalAlpha = 0.16;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
}

const TOTAL_STEPS = 4;

function drawTotals({ colours, context, most, sized, width, y }: Frame): void {
  context.font = `11px ${FONT}`;
  context.textAlign = 'right';
  context.textBaseline = 'bottom';
  for (let step = 1; step <= TOTAL_STEPS; step++) {
    const total = (most * step) / TOTAL_STEPS;
    const level = Math.round(y(total)) + 0.5;
    context.strokeStyle = colours.raised;
    context.beginPath();
    context.moveTo(0, level);
    context.lineTo(width, level);
    context.stroke();
    context.fillStyle = colours.muted;
    context.fillText(sized(total), width - 8, level - 2);
  }
  context.textBaseline = 'alphabetic';
}

function drawAxis({ colours, context, height, middle, reach, shown, width }: Frame): void {
  context.font = `11px ${FONT}`;
  context.fillStyle = colours.muted;
  context.textAlign = 'center';
  context.fillText(shown(middle), width / 2, height - 8);
  context.textAlign = 'left';
  context.fillText(shown(middle - reach), 8, height - 8);
  context.textAlign = 'right';
  context.fillText(shown(middle + reach), width - 8, height - 8);
}

function drawPointer(
  { colours, context, baseline, middle, reach, shown, sized, width }: Frame,
  {
    asks,
    bids,
    pointerX,
  }: Readonly<{ pointerX: number; bids: readonly Point[]; asks: readonly Point[] }>,
): void {
  const price = middle + ((pointerX - width / 2) / (width / 2 - 8)) * reach;
  const within =
    price < middle
      ? bids.filter((point) => point.price >= price)
      : asks.filter((point) => point.price <= price);
  context.strokeStyle = colours.muted;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(pointerX, 24);
  context.lineTo(pointerX, baseline);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = colours.text;
  context.textAlign = 'center';
  const distance = percent(((price - middle) / middle).toFixed(6), { isSigned: true });
  const text = `${shown(price)}  ·  ${sized(within.at(-1)?.total ?? 0)}  ·  ${distance}`;
  const half = context.measureText(text).width / 2 + 8;
  context.fillText(text, Math.min(Math.max(pointerX, half), width - half), 16);
}

function pointsOf(levels: readonly Level[]): readonly Point[] {
  let total = 0;
  return levels.map(({ px, sz }) => {
    total += toPixels(sz);
    return { price: toPixels(px), total };
  });
}
