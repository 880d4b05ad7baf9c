import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { classes, FOR_THUMBS } from './classes.ts';
import { useWords } from '../lib/words.ts';

type ButtonKind = 'plain' | 'quiet' | 'accent' | 'buy' | 'sell' | 'danger';
type ButtonSize = 'small' | 'medium' | 'large';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & {
  readonly kind?: ButtonKind;
  readonly size?: ButtonSize;
  /** What it started is under way: it says so and takes no second press. */
  readonly isBusy?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

const KINDS: Readonly<Record<ButtonKind, string>> = {
  plain: 'border border-line bg-raised text-text hover:border-faint',
  quiet: 'border border-transparent text-muted hover:bg-raised hover:text-text',
  accent: 'border border-accent bg-accent text-on-fill hover:brightness-110',
  buy: 'border border-buy bg-buy text-on-fill hover:brightness-110',
  sell: 'border border-sell bg-sell text-on-fill hover:brightness-110',
  danger: 'border border-sell text-sell hover:bg-sell/10',
};

/** A pale fill behind the text of a full one can't be read. */
const FILLED: readonly ButtonKind[] = ['accent', 'buy', 'sell'];
const OFF = 'border border-line bg-raised text-muted';

const SIZES: Readonly<Record<ButtonSize, string>> = {
  small: `${FOR_THUMBS} h-6 px-2 text-12`,
  medium: 'h-8 px-3 text-13',
  large: 'h-11 px-4 text-13 font-semibold',
};

export function Button({
  kind = 'plain',
  size = 'medium',
  isBusy = false,
  isWide = false,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
      className={classes(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded whitespace-nowrap transition-colors',
        disabled === true && FILLED.includes(kind) ? OFF : `${KINDS[kind]} disabled:opacity-50`,
        SIZES[size],
        isWide && 'w-full',
      )}
      {...rest}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  );
}

const ARMED_MS = 5_000;

/**
 * For what can't be undone, or touches others: the first press asks, a second one within a few seconds does it. The second
 * half of a double click is no answer to a question that nobody has read yet.
 */
export function ConfirmButton({
  label,
  sure,
  heard,
  isBusy = false,
  isDisabled = false,
  size = 'medium',
  onConfirm,
}: {
  readonly label: string;
  readonly sure: string;
  /** Both as they are told by ear, where several buttons say the same. */
  readonly heard?: { readonly label: string; readonly sure: string };
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly size?: ButtonSize;
  readonly onConfirm: () => void;
}) {
  const t = useWords();
  const [isArmed, setIsArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => setIsArmed(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return (
    <Button
      size={size}
      kind={isArmed ? 'danger' : 'plain'}
      isBusy={isBusy}
      disabled={isDisabled}
      title={isArmed ? t('ui.pressAgain') : undefined}
      aria-label={isArmed ? heard?.sure : heard?.label}
      aria-live="polite"
      onBlur={() => setIsArmed(false)}
      onClick={({ detail }) => {
        if (detail > 1) return;
        if (isArmed) onConfirm();
        setIsArmed(!isArmed);
      }}
    >
      {isArmed ? sure : label}
    </Button>
  );
}

export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="turning size-3.5 shrink-0" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeOpacity="0.25"
        strokeWidth="2"
      />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
