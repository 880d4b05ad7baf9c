import type { Candle } from '@oddlot/sdk';
import { number, percent } from '../../../../lib/format.ts';
import { fitted, FONT, palette } from '../../../../ui/canvas.ts';
import type { Scale } from '../scale.ts';
import type { TimeAxis } from '../time-axis.ts';
import { volumeProfile } from '../volume-profile.ts';
import { ratioLevels, type Drawing } from './drawing.ts';

type Drawn = {
  readonly axis: TimeAxis;
  readonly scale: Scale;
  readonly candles: readonly Candle[];
  readonly drawings: readonly Drawing[];
  readonly hasProfile: boolean;
  /** Of a price. */
  readonly decimals: number;
};

/** The share of the chart's width that the most traded price takes. */
const PROFILE_SHARE = 0.25;

/** Draws all of it anew: what is moved moves with the prices. */
export function draw(canvas: HTMLCanvasElement, drawn: Drawn): void {
  const room = fitted(canvas);
  if (room === undefined) return;
  const { context } = room;
  const right = room.width - drawn.scale.axisWidth();
  context.save();
  context.beginPath();
  context.rect(0, 0, right, drawn.scale.height());
  context.clip();
  if (drawn.hasProfile) drawProfile(context, drawn, right);
  context.strokeStyle = palette().accent;
  context.fillStyle = palette().muted;
  context.font = `11px ${FONT}`;
  for (const drawing of drawn.drawings) drawOne(context, drawing, drawn, right);
  context.restore();
}

function drawOne(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  { axis, decimals, scale }: Drawn,
  right: number,
): void {
  const at = drawing.points.map(
    ({ price, timeMs }) => [axis.toX(timeMs), scale.toY(price)] as const,
  );
  const [from, to] = at;
  if (drawing.kind === 'level') {
    if (from?.[1] !== undefined) stroke(context, [0, from[1]], [right, from[1]]);
    return;
  }
  if (from === undefined || to === undefined) return;
  const [[x1, y1], [x2, y2]] = [from, to];
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return;
  stroke(context, [x1, y1], [x2, y2]);
  if (drawing.kind !== 'ratio') return;
  for (const { price, ratio } of ratioLevels(drawing)) {
    const y = scale.toY(price);
    if (y === undefined) continue;
    stroke(context, [Math.min(x1, x2), y], [right, y]);
    const text = `${percent(ratio, { decimals: 1 })}  ${number(price, { decimals })}`;
    context.fillText(text, Math.min(x1, x2) + 4, y - 3);
  }
}

type Spot = readonly [x: number, y: number];

function stroke(context: CanvasRenderingContext2D, from: Spot, to: Spot): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** From the axis to the left: the more was traded there, the longer. */
function drawProfile(
  context: CanvasRenderingContext2D,
  { candles, scale }: Drawn,
  right: number,
): void {
  const bins = volumeProfile(candles);
  const most = Math.max(...bins.map(({ volume }) => volume));
  context.fillStyle = palette().muted;
  context.globalAlpha = 0.25;
  for (const { high, low, volume } of bins) {
    const [top, bottom] = [scale.toY(String(high)), scale.toY(String(low))];
    if (top === undefined || bottom === undefined) continue;
    const width = (volume / most) * right * PROFILE_SHARE;
    context.fillRect(right - width, top, width, Math.max(1, bottom - top - 1));
  }
  context.globalAlpha = 1;
}
