import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockTime, dayMonth, hourMinute } from '../lib/format.ts';

export type PlotLine = {
  readonly colour: string;
  readonly width?: number;
  readonly isFilled?: boolean;
  readonly isBroken?: boolean;
};

export type PlotOptions = {
  readonly lines: readonly PlotLine[];
  readonly bounds: (low: number, high: number) => [number, number];
  readonly label: (value: number, step: number) => string;
  readonly ticks?: (low: number, high: number) => number[];
  readonly onPoint?: (place: number | null) => void;
  readonly behind?: (plot: uPlot, colours: (name: string) => string) => void;
};

export type Plot = { set(data: uPlot.AlignedData): void; destroy(): void };

function colourOf(name: string): string {
  const token = /^var\((--[\w-]+)\)$/.exec(name)?.[1];
  if (token === undefined) return name;
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

export function createPlot(target: HTMLElement, options: PlotOptions): Plot {
  let data: uPlot.AlignedData = [[], ...options.lines.map(() => [])] as uPlot.AlignedData;
  let plot = draw();

  function draw(): uPlot {
    return new uPlot(settings(options, sizeOf(target)), data, target);
  }
  const resizing = new ResizeObserver(() => requestAnimationFrame(fit));
  function fit(): void {
    const { height, width } = sizeOf(target);
    if (width > 0 && (width !== plot.width || height !== plot.height)) {
      plot.setSize({ width, height });
    }
  }
  resizing.observe(target);
  // uPlot keeps the colours it was created with, so the plot is redrawn when the theme changes.
  const repainting = new MutationObserver(() => {
    plot.destroy();
    plot = draw();
  });
  repainting.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-sides'] });
  return {
    set(next) {
      data = next;
      plot.setData(next);
    },
    destroy() {
      resizing.disconnect();
      repainting.disconnect();
      plot.destroy();
    },
  };
}

function sizeOf(target: HTMLElement): { width: number; height: number } {
  return { width: target.clientWidth, height: target.clientHeight };
}

const VALUES_PX = 64;
const LETTER_PX = 7;
const FONT = '11px "Inter Variable", sans-serif';

function settings(options: PlotOptions, size: { width: number; height: number }): uPlot.Options {
  const [muted, line] = [colourOf('var(--muted)'), colourOf('var(--line)')];
  return {
    ...size,
    legend: { show: false },
    padding: [8, 0, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: true },
      y: { range: (_, low, high) => options.bounds(low ?? 0, high ?? 1) },
    },
    axes: [
      {
        stroke: muted,
        font: FONT,
        size: 28,
        gap: 6,
        space: 90,
        grid: { show: false },
        ticks: { show: false },
        values: ({ scales, width }, splits) => {
          const { max = 1, min = 0 } = scales['x'] ?? {};
          return splits.map((at) => {
            const label = timeLabel(at, splits);
            const fromEdge = ((at - min) / (max - min)) * (width - VALUES_PX);
            return fromEdge < (label.length * LETTER_PX) / 2 ? '' : label;
          });
        },
      },
      {
        side: 1,
        stroke: muted,
        font: FONT,
        size: VALUES_PX,
        gap: 8,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        ...(options.ticks === undefined
          ? {}
          : { splits: (_, __, low, high) => options.ticks?.(low, high) ?? [] }),
        values: (_, splits) => {
          const step = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0));
          return splits.map((value) => options.label(value, step));
        },
      },
    ],
    series: [{}, ...options.lines.map(seriesOf)],
    hooks: {
      ...(options.behind === undefined
        ? {}
        : { drawAxes: [(plot: uPlot) => options.behind?.(plot, colourOf)] }),
      setCursor: [
        ({ cursor: { idx, left = -1 } }) => options.onPoint?.(left < 0 ? null : (idx ?? null)),
      ],
    },
  };
}

function seriesOf({
  colour,
  isBroken = false,
  isFilled = false,
  width = 1.5,
}: PlotLine): uPlot.Series {
  return {
    stroke: colourOf(colour),
    ...(isFilled ? { fill: `color-mix(in srgb, ${colourOf(colour)} 8%, transparent)` } : {}),
    width,
    spanGaps: !isBroken,
    points: { show: false },
  };
}

const DAY_S = 86_400;
const MINUTES_FROM_S = 600;

function timeLabel(at: number, all: readonly number[]): string {
  const span = (all.at(-1) ?? at) - (all[0] ?? at);
  if (span > DAY_S) return dayMonth(at * 1_000);
  return span < MINUTES_FROM_S ? clockTime(at * 1_000) : hourMinute(at * 1_000);
}
