/** Where a price is on the chart, and back; both change with every move of the scale. */
export type Scale = {
  /** Undefined while the price is out of sight. */
  readonly toY: (price: string) => number | undefined;
  /** On the tick. */
  readonly toPrice: (y: number) => string | undefined;
  /** Of the prices at the right, in pixels. */
  readonly axisWidth: () => number;
  /** Tells of every redraw. */
  readonly onRedraw: (listener: () => void) => () => void;
};
