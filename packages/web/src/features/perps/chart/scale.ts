/** Where a price is on the chart, and back; both change with every move of the scale. */
export type Scale = {
  /** Below 0 or beyond the height while the price is out of sight; undefined while there is no scale. */
  readonly toY: (price: string) => number | undefined;
  /** On the tick. */
  readonly toPrice: (y: number) => string | undefined;
  /** Of what is drawn of prices, in pixels. */
  readonly height: () => number;
  /** Of the prices at the right, in pixels. */
  readonly axisWidth: () => number;
  /** Tells of every redraw. */
  readonly onRedraw: (listener: () => void) => () => void;
};
