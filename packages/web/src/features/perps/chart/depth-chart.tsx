import { useRef, useState, type PointerEvent } from 'react';
import type { Level } from '@oddlot/sdk';
import { toPixels } from '../../../lib/decimal.ts';
import { compact, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { fitted, FONT, palette } from '../canvas.ts';
import { useDesk } from '../desk.ts';
import { useDrawing } from '../use-drawing.ts';

/** A point of a side: how much can be traded up to a price. */
type Point = { readonly price: number; readonly total: number };

/** What stands in the book, summed up from the middle outwards, as far to both sides. */
export function DepthChart() {
  const t = useWords();
  const { coin, grid } = useDesk();
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = books.useStore({ coin });
  const [pointerX, setPointerX] = useState<number>();
  useDrawing(canvas, [store], () => {
    const room = canvas.current === null ? undefined : fitted(canvas.current);
    const book = store.getState().book;
    if (room === undefined || book === undefined) return;
    const [bids, asks] = book.levels.map(pointsOf) as [Point[], Point[]];
    const [bid, ask] = [bids[0], asks[0]];
    if (bid === undefined || ask === undefined) return;
    const middle = (bid.price + ask.price) / 2;
    const reach = Math.max(
      middle - (bids.at(-1)?.price ?? middle),
      (asks.at(-1)?.price ?? middle) - middle,
    );
    const most = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0);
    const { context, height, width } = room;
    const colours = palette();
    const floor = height - 24;
    const x = (price: number): number => width / 2 + ((price - middle) / reach) * (width / 2 - 8);
    const y = (total: number): number => floor - (total / most) * (floor - 32);
    for (const [points, colour] of [
      [bids, colours.buy],
      [asks, colours.sell],
    ] as const) {
      context.beginPath();
      context.moveTo(x(points[0]!.price), floor);
      let last = floor;
      for (const { price, total } of points) {
        context.lineTo(x(price), last);
        last = y(total);
        context.lineTo(x(price), last);
      }
      context.lineTo(x(points.at(-1)!.price), floor);
      context.closePath();
      context.globalAlpha = 0.16;
      context.fillStyle = colour;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = colour;
      context.stroke();
    }
    context.font = `11px ${FONT}`;
    context.fillStyle = colours.muted;
    context.textAlign = 'center';
    context.fillText(number(middle.toFixed(grid.priceDecimals)), width / 2, height - 8);
    context.textAlign = 'left';
    context.fillText(number((middle - reach).toFixed(grid.priceDecimals)), 8, height - 8);
    context.textAlign = 'right';
    context.fillText(number((middle + reach).toFixed(grid.priceDecimals)), width - 8, height - 8);
    if (pointerX === undefined) return;
    const price = middle + ((pointerX - width / 2) / (width / 2 - 8)) * reach;
    const side = price < middle ? bids : asks;
    const within = side.filter((point) =>
      price < middle ? point.price >= price : point.price <= price,
    );
    context.strokeStyle = colours.muted;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(pointerX, 24);
    context.lineTo(pointerX, floor);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colours.text;
    context.textAlign = 'center';
    const distance = percent(((price - middle) / middle).toFixed(6), { isSigned: true });
    const text = `${number(price.toFixed(grid.priceDecimals))}  ${compact((within.at(-1)?.total ?? 0).toFixed(4))}  ${distance}`;
    context.fillText(text, Math.min(Math.max(pointerX, 90), width - 90), 16);
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

function pointsOf(levels: readonly Level[]): readonly Point[] {
  let total = 0;
  return levels.map(({ px, sz }) => {
    total += toPixels(sz);
    return { price: toPixels(px), total };
  });
}
