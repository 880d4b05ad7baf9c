import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type Tone = 'plain' | 'accent' | 'warning' | 'buy' | 'sell';

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border-line text-muted',
  accent: 'border-accent/50 text-accent',
  warning: 'border-warning/50 text-warning',
  buy: 'border-buy/50 text-buy',
  sell: 'border-sell/50 text-sell',
};

type BadgeProps = {
  readonly tone?: Tone;
  readonly title?: string | undefined;
  readonly children: ReactNode;
};

/** A word about a thing: `testnet`, `halted`, `20× cross`. */
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
