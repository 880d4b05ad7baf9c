type SparkProps = {
  /** Oldest first. */
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly label: string;
  /** So many of the first are drawn fainter: they are of another kind. */
  readonly faint?: number | undefined;
};

/** A line without axes: where a price came from. */
export function Spark({ values, width = 96, height = 24, label, faint = 0 }: SparkProps) {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined || values.length < 2) {
    return <span style={{ width, height }} className="inline-block" aria-hidden="true" />;
  }
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = max - min || 1;
  const inset = 1.5;
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * (width - 2 * inset) + inset;
    const y = height - inset - ((value - min) / span) * (height - 2 * inset);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className={last >= first ? 'text-buy' : 'text-sell'}
    >
      {faint > 0 && (
        <polyline
          points={points.slice(0, faint + 1).join(' ')}
          fill="none"
          stroke="var(--faint)"
          strokeDasharray="2 1.5"
        />
      )}
      <polyline
        points={points.slice(faint).join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.25"
      />
    </svg>
  );
}
