import { Checkbox as RadixCheckbox } from 'radix-ui';
import { useId, type ReactNode } from 'react';

export function Checkbox({
  label,
  isOn,
  onChange,
  isDisabled = false,
}: {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={(next) => onChange(next === true)}
        className="flex size-4 shrink-0 items-center justify-center rounded border border-faint bg-canvas/60 disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixCheckbox.Indicator>
          <svg viewBox="0 0 10 8" className="w-2.5 text-on-fill" aria-hidden="true">
            <path d="M1 4l3 3 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" />
          </svg>
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <label htmlFor={id} className="text-12 text-muted">
        {label}
      </label>
    </span>
  );
}
