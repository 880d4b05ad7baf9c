import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { compare, isDecimal, roundTo, sign } from '../lib/decimal.ts';
import { isBelowCent, money, number, percent, short } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { Button, Spinner } from './controls.tsx';
import { classes } from './styles.ts';

type Text = string | null | undefined;

type PriceProps = Readonly<{ value: Text; decimals?: number | undefined; hasFlash?: boolean }>;

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

/**
 * Flashes an element by changing it directly, because a flash requires neither a render nor a
 * layout.
 */
function flash(element: HTMLElement | null, colour: '--buy' | '--sell'): void {
  if (element === null || still?.matches === true) return;
  element.animate(
    { backgroundColor: [`color-mix(in srgb, var(${colour}) 28%, transparent)`, 'transparent'] },
    { duration: FLASH_MS, easing: 'ease-out' },
  );
}

type MoneyProps = Readonly<{ value: Text; isSigned?: boolean; isColoured?: boolean }>;

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

export function Percent({ value, decimals = 2, isSigned = true, isColoured = true }: PercentProps) {
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
      <dt className="truncate text-11 text-muted max-tablet:whitespace-normal">{label}</dt>
      <dd className={isLarge ? 'truncate text-20 font-semibold' : 'truncate text-15'}>
        {children}
        {unit !== undefined && (
          // On a phone, three figures share a row, and the unit would cut them off.
          <span className="text-11 font-normal text-muted max-tablet:hidden">&nbsp;{unit}</span>
        )}
        {note !== undefined && (
          <span className="block truncate text-11 font-normal text-muted">{note}</span>
        )}
      </dd>
    </div>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-6 items-center justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}

type Tone = 'plain' | 'accent' | 'warning' | 'buy' | 'sell';

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border-line text-muted',
  accent: 'border-accent/50 text-accent',
  warning: 'border-warning/50 text-warning',
  buy: 'border-buy/50 text-buy',
  sell: 'border-sell/50 text-sell',
};

type BadgeProps = Readonly<{ tone?: Tone; title?: string | undefined; children: ReactNode }>;

export function Badge({ tone = 'plain', title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={classes(
        'inline-flex h-5 items-center rounded border px-1.5 text-11 whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

export function Code({ children }: { readonly children: string }) {
  return <code className="font-mono text-12 break-all">{children}</code>;
}

const COPIED_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const t = useWords();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => setIsCopied(false),
    );
  };
  return (
    <Button size="small" aria-live="polite" onClick={() => void copy()}>
      {isCopied ? t('ui.copied') : (label ?? t('ui.copy'))}
    </Button>
  );
}

/** Links in a sentence are underlined, because not everyone can tell them apart by colour. */
const LOOKS = 'text-accent hover:underline [p_&]:underline [dd_&]:underline';

type HashLinkProps = Readonly<{ to: string; hash: string; isWhole: boolean; className?: string }>;

function HashLink({ to, hash, isWhole, className = '' }: HashLinkProps) {
  return (
    <Link
      to={to}
      title={hash}
      className={`${LOOKS} font-mono text-12 ${isWhole ? 'break-all' : className}`}
    >
      {isWhole ? hash : short(hash)}
    </Link>
  );
}

type AddressLinkProps = Readonly<{ address: string; isWhole?: boolean }>;

export function AddressLink({ address, isWhole = false }: AddressLinkProps) {
  const to = `/explorer/address/${address}`;
  return <HashLink to={to} hash={address} isWhole={isWhole} className="whitespace-nowrap" />;
}

export function TxLink({ hash, isWhole = false }: Readonly<{ hash: string; isWhole?: boolean }>) {
  return <HashLink to={`/explorer/tx/${hash}`} hash={hash} isWhole={isWhole} />;
}

export function BlockLink({ height }: Readonly<{ height: number }>) {
  return (
    <Link to={`/explorer/block/${height}`} className={`${LOOKS} tabular-nums`}>
      {number(String(height))}
    </Link>
  );
}

export function Who({ user, isSimulated }: Readonly<{ user: string; isSimulated: boolean }>) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <AddressLink address={user} />
      {isSimulated && <SimulatedBadge />}
    </span>
  );
}

export function SimulatedBadge() {
  const t = useWords();
  return (
    <span title={t('ui.botText')}>
      <Badge>{t('ui.bot')}</Badge>
    </span>
  );
}

type EventTitleProps = {
  readonly title: string;
  readonly isShort?: boolean;
};

export function EventTitle({ title, isShort = false }: EventTitleProps) {
  const { aside, main } = partsOf(title);
  const shown = isShort ? aside?.replace(DAY, '') : aside;
  return (
    <>
      {main}
      {shown !== undefined && (
        <>
          {' '}
          <span
            className={classes(
              'text-[max(0.75em,11px)] font-normal text-muted',
              TIME.test(shown) && 'whitespace-nowrap',
            )}
          >
            {shown}
          </span>
        </>
      )}
    </>
  );
}

export function StackedTitle({ title }: { readonly title: string }) {
  const { aside, main } = partsOf(title);
  if (aside === undefined) {
    return <span className="line-clamp-2 leading-tight whitespace-normal">{main}</span>;
  }
  return (
    <>
      <span className="block truncate leading-tight">{main}</span>
      <span className="block truncate text-11 leading-tight text-muted">{aside.slice(1, -1)}</span>
    </>
  );
}

export function partsOf(title: string): {
  readonly main: string;
  readonly aside: string | undefined;
} {
  const [, main = title, aside] = /^(.*\S)\s*(\([^()]+\))$/.exec(title) ?? [];
  return { main, aside };
}

/** Matches a time span such as `(15:00–15:15 UTC)`, with or without a date. */
const TIME = /^\([\p{L}\d ,]*\d{2}:\d{2}–\d{2}:\d{2}[\p{L} ]*\)$/u;
/** Matches a date such as `15 Nov 2026, ` before a time. */
const DAY = /\d{1,2} \p{L}{3} \d{4}, (?=\d{2}:\d{2})/u;

type SparkProps = {
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly label: string;
  /**
   * The direction that the line's colour shows. By default, it is the direction from the first
   * value to the last.
   */
  readonly isUp?: boolean | undefined;
};

export function Spark({ values, width = 96, height = 24, label, isUp }: SparkProps) {
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
      className={(isUp ?? last >= first) ? 'text-buy' : 'text-sell'}
    >
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.25" />
    </svg>
  );
}

type LadderProps = {
  readonly label: string;
  readonly steps: readonly string[];
  readonly reached: number;
  readonly isStopped?: boolean;
};

export function Ladder({ label, steps, reached, isStopped = false }: LadderProps) {
  return (
    <ol aria-label={label} aria-live="polite" className="flex min-w-0 flex-1">
      {steps.map((step, place) => {
        const state = place < reached ? 'done' : place === reached ? 'now' : 'ahead';
        return (
          <li
            key={step}
            aria-current={state === 'now' ? 'step' : undefined}
            className="flex min-w-0 flex-1 flex-col gap-1"
          >
            <span
              className={classes(
                'h-0.5 rounded-full',
                place < steps.length - 1 && 'me-1',
                state === 'done'
                  ? 'bg-accent'
                  : state === 'now'
                    ? isStopped
                      ? 'bg-warning'
                      : 'bg-accent/40'
                    : 'bg-line',
              )}
            />
            <span
              className={classes(
                'flex items-center gap-1.5 truncate text-12',
                state === 'done' ? 'text-text' : state === 'now' ? 'text-muted' : 'text-faint',
              )}
            >
              {state === 'done' && (
                <span aria-hidden="true" className="text-accent">
                  ✓
                </span>
              )}
              {state === 'now' && !isStopped && <Spinner />}
              <span className="truncate">{step}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
