import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../../lib/browser.ts';
import { COLOURS } from '../indicators/indicator-kinds.ts';
import { add, isDecimal, multiply, onStep, sign, subtract } from '../../../../lib/decimal.ts';

/** The kinds of drawings and the number of points in each. */
const POINTS = { level: 1, moment: 1, line: 2, ray: 2, box: 2, ratio: 2, range: 2 } as const;
export type DrawingKind = keyof typeof POINTS;
export const DRAWING_KINDS = Object.keys(POINTS) as readonly DrawingKind[];

export const DASHES = ['solid', 'dashed', 'dotted'] as const;
export type Dash = (typeof DASHES)[number];

export type DrawingStyle = {
  /** The number of a theme colour, counted from 1. */
  readonly colour: number;
  /** The line width in pixels. */
  readonly width: number;
  readonly dash: Dash;
};

export const USUAL_STYLE: DrawingStyle = { colour: 1, width: 1, dash: 'solid' };
export const WIDTH_MAX = 4;

export type DrawingPoint = { readonly timeMs: number; readonly price: string };
export type Drawing = Readonly<{
  id: string;
  kind: DrawingKind;
  points: readonly DrawingPoint[];
  style?: DrawingStyle;
}>;

const DRAWINGS_MAX = 40;
const RATIOS = ['0', '0.236', '0.382', '0.5', '0.618', '0.786', '1'] as const;
/** The offset fits within the smallest range of the scale, so that both ends are visible. */
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
  if (pointsOf(kind) === 1) return { id, kind, points: [to] };
  const from = {
    timeMs: start - CANDLES_BACK * stepMs,
    price: onStep(subtract(markPx, offset), tick),
  };
  return { id, kind, points: [from, to] };
}

export function pointsOf(kind: DrawingKind): number {
  return POINTS[kind];
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
 * Returns the drawings in a stored string. The string is untrusted, so invalid drawings are
 * removed.
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
  const { id, kind, points, style } = value as Partial<Record<keyof Drawing, unknown>>;
  if (typeof id !== 'string' || !Array.isArray(points)) return false;
  const known = DRAWING_KINDS.find((each) => each === kind);
  if (known === undefined || (style !== undefined && !isStyle(style))) return false;
  return points.length === pointsOf(known) && points.every(isPoint);
}

function isStyle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { colour, dash, width } = value as Partial<Record<keyof DrawingStyle, unknown>>;
  const isWithin = (number: unknown, most: number): boolean =>
    Number.isInteger(number) && Number(number) >= 1 && Number(number) <= most;
  return (
    isWithin(colour, COLOURS) &&
    isWithin(width, WIDTH_MAX) &&
    (DASHES as readonly unknown[]).includes(dash)
  );
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

type Past = {
  readonly before: readonly (readonly Drawing[])[];
  readonly after: readonly (readonly Drawing[])[];
};

const STEPS_MAX = 50;
/** Changes of the same kind within this time, such as the steps of a drag, are undone together. */
const TOGETHER_MS = 800;

const NO_PAST: Past = { before: [], after: [] };
const pasts = createStore<Readonly<Record<string, Past>>>(() => ({}));
let latest: { readonly market: string; readonly step: string; readonly atMs: number } | undefined;

/** Changes the drawings of a market. Consecutive changes with the same step are undone together. */
export function changeDrawings(
  market: string,
  change: (drawings: readonly Drawing[]) => readonly Drawing[],
  step = '',
): void {
  const drawings = store.getState()[market] ?? read(market);
  const atMs = performance.now();
  const isSame = step !== '' && latest?.market === market && latest.step === step;
  if (!isSame || atMs - (latest?.atMs ?? 0) > TOGETHER_MS) {
    const { before } = pasts.getState()[market] ?? NO_PAST;
    pasts.setState({ [market]: { before: [...before, drawings].slice(-STEPS_MAX), after: [] } });
  }
  latest = { market, step, atMs };
  keep(market, change(drawings));
}

export function usePast(market: string): { readonly canUndo: boolean; readonly canRedo: boolean } {
  const { after, before } = useStore(pasts, (all) => all[market] ?? NO_PAST);
  return { canUndo: before.length > 0, canRedo: after.length > 0 };
}

export function undoDrawing(market: string): void {
  const { after, before } = pasts.getState()[market] ?? NO_PAST;
  const drawings = before.at(-1);
  if (drawings === undefined) return;
  const now = store.getState()[market] ?? read(market);
  pasts.setState({ [market]: { before: before.slice(0, -1), after: [...after, now] } });
  latest = undefined;
  keep(market, drawings);
}

export function redoDrawing(market: string): void {
  const { after, before } = pasts.getState()[market] ?? NO_PAST;
  const drawings = after.at(-1);
  if (drawings === undefined) return;
  const now = store.getState()[market] ?? read(market);
  pasts.setState({ [market]: { before: [...before, now], after: after.slice(0, -1) } });
  latest = undefined;
  keep(market, drawings);
}

function keep(market: string, drawings: readonly Drawing[]): void {
  store.setState({ [market]: drawings });
  keepText(PREFIX + market, drawings.length === 0 ? null : JSON.stringify(drawings));
}

const known = new Map<string, readonly Drawing[]>();

function read(market: string): readonly Drawing[] {
  const found = known.get(market) ?? drawingsOf(readText(PREFIX + market));
  known.set(market, found.length === 0 ? NONE : found);
  return known.get(market)!;
}

/**
 * The drawing whose points are being placed, and its chart. Only one chart at a time can have such
 * a drawing.
 */
type Begun = { readonly chart: string; readonly kind: DrawingKind };

const begun = createStore<{ readonly now: Begun | undefined }>(() => ({ now: undefined }));

export function useBegun(chart: string): DrawingKind | undefined {
  return useStore(begun, ({ now }) => (now?.chart === chart ? now.kind : undefined));
}

export function beginDrawing(now: Begun | undefined): void {
  begun.setState({ now });
}
