import { percent } from '../lib/format.ts';

const MARKS = [0, 25, 50, 75, 100];
/** How wide the thumb is; its middle stays within the track. */
const THUMB_PX = 14;

/** A share in percent, by hand or by arrow keys. */
export function Slider({
  label,
  value,
  onChange,
  isDisabled = false,
}: {
  readonly label: string;
  /** 0 to 100. */
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly isDisabled?: boolean;
}) {
  const reached = `calc(${THUMB_PX / 2}px + (100% - ${THUMB_PX}px) * ${value / 100})`;
  return (
    <span className="relative flex h-6 w-full items-center select-none has-disabled:opacity-50">
      <span aria-hidden="true" className="relative h-0.5 w-full rounded bg-line">
        <span style={{ width: reached }} className="absolute h-full rounded bg-accent" />
        {MARKS.map((mark) => (
          <span
            key={mark}
            style={{ insetInlineStart: `${mark}%` }}
            className="absolute top-1/2 size-1.5 -translate-x-1/2 -translate-y-1/2 rounded-full rtl:translate-x-1/2 bg-line"
          />
        ))}
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={percent(String(value / 100), { decimals: 0 })}
        min={0}
        max={100}
        step={1}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        // It is no field that is filled in and sent.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        className="slider absolute inset-0"
      />
    </span>
  );
}
