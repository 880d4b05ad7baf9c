import { useId } from 'react';

/** A text of some lines. */
export function TextArea({
  label,
  value,
  onChange,
  maxLength,
  rows = 3,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength?: number | undefined;
  readonly rows?: number;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-12 text-muted">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        maxLength={maxLength}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded border border-line bg-canvas/60 px-3 py-1.5 outline-none focus:border-accent"
      />
    </div>
  );
}
