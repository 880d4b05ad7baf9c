import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { add, compare, isDecimal, multiply, onStep as toStep, subtract } from '../lib/decimal.ts';
import { number } from '../lib/format.ts';
import { fieldText, typedNumber } from '../lib/typed-text.ts';
import { useWords } from '../lib/words.ts';
import { classes } from './classes.ts';

type NumberFieldProps = {
  readonly label: string;
  /** Decimal text as typed: it may be empty or unfinished (`1.`), `isDecimal` tells. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What an arrow key or a stepper adds: the tick of a price, the lot of a size. */
  readonly step?: string | undefined;
  readonly min?: string | undefined;
  readonly unit?: ReactNode;
  readonly placeholder?: string | undefined;
  readonly fault?: string | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly onEnter?: (() => void) | undefined;
};

/** Shows how a number is written here. */
const EXAMPLE = '97174.6';

/** A number as decimal text, read as the locale writes it. It never rounds or reformats what was typed. */
export function NumberField({
  label,
  value,
  onChange,
  step,
  min = '0',
  unit,
  placeholder,
  fault,
  isDisabled = false,
  onEnter,
}: NumberFieldProps) {
  const id = useId();
  const { onBlur, onType, shown, unread } = useTyped(value, onChange);
  const wrong = unread ?? fault;
  const move = (direction: 1 | -1, steps: string): void => {
    const from = isDecimal(value) ? value : min;
    const moved = direction > 0 ? add(from, steps) : subtract(from, steps);
    const next = toStep(moved, steps);
    onChange(compare(next, min) < 0 ? min : next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onEnter?.();
    if (step === undefined || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const direction = event.key === 'ArrowUp' ? 1 : -1;
    move(direction, event.shiftKey ? multiply(step, '10') : step);
  };
  return (
    <div>
      <div
        className={classes(
          'flex h-10 items-center rounded border bg-canvas/60 focus-within:border-accent',
          wrong === undefined ? 'border-line' : 'border-sell',
          isDisabled && 'opacity-50',
        )}
      >
        <label htmlFor={id} className="shrink-0 ps-3 text-12 text-muted">
          {label}
        </label>
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          spellCheck={false}
          value={shown}
          placeholder={placeholder}
          disabled={isDisabled}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong === undefined ? undefined : `${id}-fault`}
          onKeyDown={onKeyDown}
          onBlur={onBlur}
          onChange={(event) => onType(event.target.value)}
          className="h-full min-w-0 flex-1 bg-transparent px-2 text-end text-15 outline-none placeholder:text-faint"
        />
        {unit !== undefined && <span className="shrink-0 pe-3 text-12 text-muted">{unit}</span>}
        {step !== undefined && (
          <Steppers label={label} step={step} isDisabled={isDisabled} onStep={move} />
        )}
      </div>
      {wrong !== undefined && (
        <p id={`${id}-fault`} className="mt-1 text-12 text-sell">
          {wrong}
        </p>
      )}
    </div>
  );
}

/**
 * What stands in the field: the text as it was typed while somebody types, the value as soon as another one is
 * set. A text that is no number stays to be mended and is said to be none; the value is empty then, so that nobody
 * sends the one that stood there before.
 */
function useTyped(
  value: string,
  onChange: (value: string) => void,
): {
  readonly shown: string;
  readonly unread: string | undefined;
  readonly onType: (text: string) => void;
  readonly onBlur: () => void;
} {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const [unread, setUnread] = useState<string>();
  const isUnread = unread !== undefined && value === '';
  // Another value was set since.
  if (unread !== undefined && !isUnread) setUnread(undefined);
  const read = typedNumber(typed) === value ? typed : fieldText(value);
  return {
    shown: isUnread ? unread : read,
    unread: !isUnread
      ? undefined
      : t('ui.noNumber', { text: unread, example: number(EXAMPLE, { decimals: 1 }) }),
    onType(text) {
      const next = typedNumber(text);
      setUnread(next === undefined ? text : undefined);
      setTyped(next === undefined ? '' : text);
      onChange(next ?? '');
    },
    onBlur() {
      setTyped('');
    },
  };
}

type SteppersProps = {
  readonly label: string;
  readonly step: string;
  readonly isDisabled: boolean;
  readonly onStep: (direction: 1 | -1, step: string) => void;
};

/** For the mouse only: arrow keys do the same, so these are no tab stops, and nothing for the thumbs of a phone. */
function Steppers({ label, step, isDisabled, onStep }: SteppersProps) {
  return (
    <span className="flex h-full w-6 shrink-0 flex-col border-s border-line max-tablet:hidden">
      {([1, -1] as const).map((direction) => (
        <button
          key={direction}
          type="button"
          tabIndex={-1}
          disabled={isDisabled}
          aria-label={`${label} ${direction > 0 ? '+' : '−'} ${step}`}
          onClick={() => onStep(direction, step)}
          className="flex flex-1 items-center justify-center text-11 text-muted hover:bg-raised hover:text-text"
        >
          <svg viewBox="0 0 8 4" className="w-2" aria-hidden="true">
            <path
              d={direction > 0 ? 'M0 4 4 0l4 4' : 'M0 0l4 4 4-4'}
              fill="none"
              stroke="currentColor"
            />
          </svg>
        </button>
      ))}
    </span>
  );
}
