import { Slider as RadixSlider } from 'radix-ui';

const MARKS = [0, 25, 50, 75, 100];

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
  return (
    <RadixSlider.Root
      value={[value]}
      min={0}
      max={100}
      step={1}
      disabled={isDisabled}
      onValueChange={([next = 0]) => onChange(next)}
      className="relative flex h-6 w-full touch-none items-center select-none data-disabled:opacity-50"
    >
      <RadixSlider.Track className="relative h-0.5 w-full rounded bg-line">
        <RadixSlider.Range className="absolute h-full rounded bg-accent" />
        {MARKS.map((mark) => (
          <span
            key={mark}
            aria-hidden="true"
            style={{ left: `${mark}%` }}
            className="absolute top-1/2 size-1.5 -translate-x-1/2 -translate-y-1/2 rounded-full bg-line"
          />
        ))}
      </RadixSlider.Track>
      <RadixSlider.Thumb
        aria-label={label}
        aria-valuetext={`${value} %`}
        className="block size-3.5 rounded-full border-2 border-accent bg-panel"
      />
    </RadixSlider.Root>
  );
}
