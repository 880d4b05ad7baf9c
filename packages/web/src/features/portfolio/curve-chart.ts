import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { compact, money } from '../../lib/format.ts';
import { clockTime, dayOf, minuteTime } from '../../lib/time.ts';

/** Loaded when the first curve is drawn. */

export type CurveData = { readonly times: readonly number[]; readonly values: readonly number[] };

export type CurveChart = {
  set(data: CurveData): void;
  resize(width: number, height: number): void;
  /** After the colours of the page changed. */
  recolour(): void;
  destroy(): void;
};

const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const AXIS_PX = 60;

/** Draws a line with its area into an element; `onPoint` tells what is under the pointer. */
export function curveChart(
  element: HTMLElement,
  initial: CurveData,
  onPoint: (at: number | undefined) => void,
): CurveChart {
  const token = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: () => token('muted'),
    font: '11px "Inter Variable", sans-serif',
    ticks: { show: false },
    grid: { stroke: () => token('line'), width: 1 },
  };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: element.clientHeight,
      padding: [12, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: true }, y: { range: spread } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 80,
          size: 28,
          values: (_, splits, _axis, _space, step) => timeLabels(splits, step),
        },
        {
          ...axis,
          side: 1,
          size: AXIS_PX,
          space: 48,
          values: (_, splits) => amountLabels(splits),
        },
      ],
      series: [
        {},
        {
          stroke: () => token('accent'),
          width: 1.5,
          fill: () => `color-mix(in srgb, ${token('accent')} 8%, transparent)`,
          points: { show: false },
        },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    aligned(initial),
    element,
  );
  return {
    set: (data) => plot.setData(aligned(data)),
    resize: (width, height) => plot.setSize({ width, height }),
    recolour: () => plot.redraw(false, true),
    destroy: () => plot.destroy(),
  };
}

function aligned({ times, values }: CurveData): uPlot.AlignedData {
  return [times.map((time) => time / SECOND_MS), [...values]];
}

/** A line that never moved stands in the middle, not on the edge. */
function spread(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  const [low, high] = [min ?? 0, max ?? 0];
  const room = high === low ? Math.max(1, Math.abs(high) * 0.02) : (high - low) * 0.12;
  return [low - room, high + room];
}

/** Hours as hours; midnight, and steps of a day or more, as the day. */
function timeLabels(splits: readonly number[], stepSeconds: number): string[] {
  return splits.map((seconds) => {
    const ms = seconds * SECOND_MS;
    const time = minuteTime(ms);
    if (stepSeconds < MINUTE_SECONDS) return clockTime(ms);
    return stepSeconds >= DAY_SECONDS || time === '00:00' ? dayOf(ms, 'here') : time;
  });
}

function amountLabels(splits: readonly number[]): string[] {
  const step = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0));
  const decimals = step >= 1 || step === 0 ? 0 : step >= 0.1 ? 1 : 2;
  return splits.map((value) =>
    Math.abs(value) >= 1_000_000
      ? compact(value.toFixed(0))
      : money(value.toFixed(decimals), { decimals }),
  );
}
