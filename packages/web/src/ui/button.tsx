import type { ComponentProps, ReactNode } from 'react';
import { classes, FOR_THUMBS } from './classes.ts';
import { Spinner } from './empty-state.tsx';

type ButtonKind = 'plain' | 'quiet' | 'accent' | 'buy' | 'sell' | 'danger';
export type ButtonSize = 'small' | 'medium' | 'large';

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

/** A button says what it does. */
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
