import { useId, type ReactNode } from 'react';

type CheckboxProps = {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
};

export function Checkbox({ label, isOn, onChange, isDisabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <button
        type="button"
        role="checkbox"
        id={id}
        aria-checked={isOn}
        disabled={isDisabled}
        onClick={() => onChange(!isOn)}
        // Of a box the space bar is the key; who presses Enter means the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        className="flex size-4 shrink-0 items-center justify-center rounded border border-faint bg-canvas/60 disabled:opacity-50 aria-checked:border-accent aria-checked:bg-accent"
      >
        {isOn && (
          <svg viewBox="0 0 10 8" className="w-2.5 text-on-fill" aria-hidden="true">
            <path d="M1 4l3 3 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" />
          </svg>
        )}
      </button>
      <label htmlFor={id} className="text-12 text-muted">
        {label}
      </label>
    </span>
  );
}
