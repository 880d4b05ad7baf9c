import { multiply, toPixels } from '../../lib/decimal.ts';
import { fitted, FONT, palette } from '../../ui/canvas.ts';
import type { DepthLevel } from './book-levels.ts';

export const ROW_PX = 18;
const MARGIN_PX = 12;

type BookSide = {
  readonly side: 'bid' | 'ask';
  readonly levels: readonly DepthLevel[];
  readonly own: ReadonlySet<string>;
};

/** How what stands in a row is written. */
export type Figures = {
  readonly price: (price: string) => string;
  /** Of one level or of all up to it: the size, or what it is worth, which is reckoned only where it is shown. */
  readonly size: (size: string, value: () => string) => string;
};

type Drawing = {
  readonly figures: Figures;
  /** The level that the pointer or the keyboard is at. */
  readonly at: number | undefined;
  /** The larger of both totals, so that both sides are drawn to one scale. */
  readonly scale: number;
};

/** Draws one side of the book: asks from the bottom up, bids from the top down. */
export function drawSide(
  canvas: HTMLCanvasElement,
  { levels, own, side }: BookSide,
  { at, figures, scale }: Drawing,
): void {
  const room = fitted(canvas);
  if (room === undefined) return;
  const { context, height, width } = room;
  const colours = palette();
  const colour = side === 'bid' ? colours.buy : colours.sell;
  const rows = levels.map((level, index) => {
    const top = side === 'bid' ? index * ROW_PX : height - (index + 1) * ROW_PX;
    return { level, top, middle: top + ROW_PX / 2 + 0.5 };
  });
  // Column by column: a canvas is slowest where its colours and alignments change.
  context.globalAlpha = 0.16;
  context.fillStyle = colour;
  for (const { level, top } of rows) {
    const bar = scale === 0 ? 0 : (toPixels(level.total) / scale) * width;
    context.fillRect(width - bar, top, bar, ROW_PX - 1);
  }
  if (at !== undefined) {
    context.fillStyle = colours.line;
    for (const [index, { top }] of rows.slice(0, at + 1).entries()) {
      context.globalAlpha = index === at ? 0.9 : 0.45;
      context.fillRect(0, top, width, ROW_PX);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.accent;
  for (const { middle } of rows.filter(({ level }) => own.has(level.price))) {
    context.beginPath();
    context.arc(6, middle, 2.5, 0, 2 * Math.PI);
    context.fill();
  }
  context.font = `12px ${FONT}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colour;
  for (const { level, middle } of rows) {
    context.fillText(figures.price(level.price), MARGIN_PX, middle);
  }
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  for (const { level, middle } of rows) {
    const value = (): string => multiply(level.price, level.size);
    context.fillText(figures.size(level.size, value), width * 0.66, middle);
  }
  context.fillStyle = colours.muted;
  for (const { level, middle } of rows) {
    const total = figures.size(level.total, () => level.value);
    context.fillText(total, width - MARGIN_PX, middle);
  }
}
