import { type ReactNode, useEffect, useRef } from 'react';
import { compare, isDecimal, roundTo, sign } from '../lib/decimal.ts';
import { isBelowCent, money, number, percent } from '../lib/format.ts';
import { classes } from './classes.ts';

/** Numbers that keep their place: tabular figures, and a colour only where the sign is the message. */

type Text = string | null | undefined;

type PriceProps = {
  readonly value: Text;
  readonly decimals?: number | undefined;
  readonly hasFlash?: boolean;
};

/** A price with the decimals of its grid. With `hasFlash` a move lights up for a moment. */
export function Price({ value, decimals, hasFlash = false }: PriceProps) {
  const shown = useRef<HTMLSpanElement>(null);
  const before = useRef<Text>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = value;
    if (!hasFlash || !isDecimal(last) || !isDecimal(value)) return;
    const direction = compare(value, last);
    if (direction !== 0) flash(shown.current, direction > 0 ? '--buy' : '--sell');
  }, [value, hasFlash]);
  return (
    <span ref={shown} className="rounded tabular-nums">
      {number(value, { decimals })}
    </span>
  );
}

const FLASH_MS = 320;
const still = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)');

/** By hand rather than by state or class: a flash is no reason to render or to lay out anything. */
function flash(element: HTMLElement | null, colour: '--buy' | '--sell'): void {
  if (element === null || still?.matches === true) return;
  element.animate(
    { backgroundColor: [`color-mix(in srgb, var(${colour}) 28%, transparent)`, 'transparent'] },
    { duration: FLASH_MS, easing: 'ease-out' },
  );
}

type MoneyProps = {
  readonly value: Text;
  readonly isSigned?: boolean;
  readonly isColoured?: boolean;
};

/** USDC. */
export function Money({ value, isSigned = false, isColoured = false }: MoneyProps) {
  const isSmall = isDecimal(value) && isBelowCent(value);
  return (
    <span
      className={colourOf(value, isColoured)}
      title={isSmall ? number(value, { isSigned }) : undefined}
    >
      {money(value, { isSigned })}
    </span>
  );
}

type PercentProps = {
  readonly value: Text;
  readonly decimals?: number;
  readonly isSigned?: boolean;
  readonly isColoured?: boolean;
};

/** A fraction, shown in percent. */
export function Percent({ value, decimals = 2, isSigned = true, isColoured = true }: PercentProps) {
  // A move that shows as zero has no colour.
  const rounded = isDecimal(value) ? roundTo(value, decimals + 2) : undefined;
  return (
    <span className={colourOf(rounded, isColoured)}>{percent(value, { decimals, isSigned })}</span>
  );
}

export function colourOf(value: Text, isColoured = true): string {
  if (!isDecimal(value)) return 'text-faint';
  const direction = sign(value);
  return classes(
    'whitespace-nowrap tabular-nums',
    isColoured && direction > 0 && 'text-buy',
    isColoured && direction < 0 && 'text-sell',
  );
}

type StatProps = {
  readonly label: string;
  readonly unit?: string | undefined;
  readonly note?: ReactNode;
  readonly isLarge?: boolean;
  readonly children: ReactNode;
};

export function Stat({ label, unit, note, isLarge = false, children }: StatProps) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-11 text-muted">{label}</dt>
      <dd className={isLarge ? 'truncate text-20 font-semibold' : 'truncate text-15'}>
        {children}
        {unit !== undefined && (
          // On a phone a large figure needs the room for itself.
          <span
            className={classes('text-11 font-normal text-muted', isLarge && 'max-tablet:hidden')}
          >
            &nbsp;{unit}
          </span>
        )}
        {note !== undefined && (
          <span className="block truncate text-11 font-normal text-muted">{note}</span>
        )}
      </dd>
    </div>
  );
}

/** A line of a list of facts: what it is, and its figure. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-6 items-center justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
