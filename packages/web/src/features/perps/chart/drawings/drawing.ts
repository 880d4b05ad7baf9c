import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../../lib/browser.ts';
import { add, isDecimal, multiply, onStep, sign, subtract } from '../../../../lib/decimal.ts';

export const DRAWING_KINDS = ['level', 'line', 'ratio'] as const;
export type DrawingKind = (typeof DRAWING_KINDS)[number];

export type DrawingPoint = { readonly timeMs: number; readonly price: string };
export type Drawing = Readonly<{ id: string; kind: DrawingKind; points: readonly DrawingPoint[] }>;

const DRAWINGS_MAX = 40;
const RATIOS = ['0', '0.236', '0.382', '0.5', '0.618', '0.786', '1'] as const;
/** Within the smallest range of the scale, so that both ends are in sight. */
const OFFSET = '0.0003';
const CANDLES_BACK = 30;

export function newDrawing(
  kind: DrawingKind,
  {
    id,
    markPx,
    nowMs,
    stepMs,
    tick,
  }: Readonly<{ id: string; markPx: string; nowMs: number; stepMs: number; tick: string }>,
): Drawing {
  const offset = multiply(markPx, OFFSET);
  const start = nowMs - (nowMs % stepMs);
  const to = { timeMs: start, price: onStep(add(markPx, offset), tick) };
  if (kind === 'level') return { id, kind, points: [to] };
  const from = {
    timeMs: start - CANDLES_BACK * stepMs,
    price: onStep(subtract(markPx, offset), tick),
  };
  return { id, kind, points: [from, to] };
}

export function ratioLevels({
  points: [from, to],
}: Drawing): readonly { readonly ratio: string; readonly price: string }[] {
  if (from === undefined || to === undefined) return [];
  const move = subtract(from.price, to.price);
  return RATIOS.map((ratio) => ({ ratio, price: add(to.price, multiply(move, ratio)) }));
}

export function withDrawing(drawings: readonly Drawing[], drawing: Drawing): readonly Drawing[] {
  return [...drawings.filter(({ id }) => id !== drawing.id), drawing].slice(-DRAWINGS_MAX);
}

export function withPoint(
  drawings: readonly Drawing[],
  id: string,
  at: number,
  point: DrawingPoint,
): readonly Drawing[] {
  return drawings.map((drawing) =>
    drawing.id === id ? { ...drawing, points: drawing.points.with(at, point) } : drawing,
  );
}

/**
 * Returns the drawings in a stored text. The text is untrusted, so invalid drawings are removed.
 */
export function drawingsOf(text: string | null): readonly Drawing[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isDrawing).slice(-DRAWINGS_MAX) : [];
  } catch {
    return [];
  }
}

function isDrawing(value: unknown): value is Drawing {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, points } = value as Partial<Record<keyof Drawing, unknown>>;
  if (typeof id !== 'string' || !Array.isArray(points)) return false;
  if (!(DRAWING_KINDS as readonly unknown[]).includes(kind)) return false;
  return points.length === (kind === 'level' ? 1 : 2) && points.every(isPoint);
}

function isPoint(value: unknown): value is DrawingPoint {
  if (typeof value !== 'object' || value === null) return false;
  const { price, timeMs } = value as Partial<Record<keyof DrawingPoint, unknown>>;
  return Number.isSafeInteger(timeMs) && isDecimal(price as string) && sign(price as string) > 0;
}

const store = createStore<Readonly<Record<string, readonly Drawing[]>>>(() => ({}));

const PREFIX = 'oddlot.drawings.';
const NONE: readonly Drawing[] = [];

export function useDrawings(market: string): readonly Drawing[] {
  return useStore(store, (all) => all[market] ?? read(market));
}

export function changeDrawings(
  market: string,
  change: (drawings: readonly Drawing[]) => readonly Drawing[],
): void {
  const drawings = change(store.getState()[market] ?? read(market));
  store.setState({ [market]: drawings });
  keepText(PREFIX + market, drawings.length === 0 ? null : JSON.stringify(drawings));
}

const known = new Map<string, readonly Drawing[]>();

function read(market: string): readonly Drawing[] {
  const found = known.get(market) ?? drawingsOf(readText(PREFIX + market));
  known.set(market, found.length === 0 ? NONE : found);
  return known.get(market)!;
}
