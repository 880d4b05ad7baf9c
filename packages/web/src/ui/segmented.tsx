import { ToggleGroup } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { classes, FOR_THUMBS } from './classes.ts';

type Segment<Value extends string> = {
  readonly value: Value;
  readonly label: ReactNode;
  readonly tone?: 'plain' | 'buy' | 'sell' | undefined;
  readonly isDisabled?: boolean | undefined;
};

const CHOSEN = {
  plain: 'data-[state=on]:bg-raised data-[state=on]:text-text',
  buy: 'data-[state=on]:bg-buy/20 data-[state=on]:text-buy-strong',
  sell: 'data-[state=on]:bg-sell/20 data-[state=on]:text-sell-strong',
} as const;

export function Segmented<Value extends string>({
  label,
  segments,
  value,
  onChange,
  size = 'medium',
}: {
  readonly label: string;
  readonly segments: readonly Segment<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly size?: 'small' | 'medium';
}) {
  return (
    <ToggleGroup.Root
      dir={direction()}
      type="single"
      aria-label={label}
      value={value}
      // Pressing the chosen one again leaves it chosen.
      onValueChange={(next) => next !== '' && onChange(next as Value)}
      className={classes(
        'flex rounded',
        size === 'medium' && 'border border-line bg-canvas/60 p-0.5',
      )}
    >
      {segments.map(({ value: own, label: text, tone = 'plain', isDisabled }) => (
        <ToggleGroup.Item
          key={own}
          value={own}
          disabled={isDisabled === true}
          // As with any group of radios, arrow keys choose.
          onFocus={() => own !== value && onChange(own)}
          className={classes(
            'flex-1 rounded px-2 whitespace-nowrap text-muted transition-colors hover:text-text disabled:opacity-40 data-[state=on]:font-medium',
            size === 'small' ? `${FOR_THUMBS} h-6 text-12 max-tablet:px-1.5` : 'h-7 text-13',
            CHOSEN[tone],
          )}
        >
          {text}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

type ChipProps = Omit<ComponentProps<'button'>, 'className'> & { readonly isOn?: boolean };

/** A small switch or a way to a dialog: `Cross`, `20×`. */
export function Chip({ isOn, children, ...rest }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={classes(
        'inline-flex h-6 max-tablet:h-8 items-center gap-1 rounded border px-2 text-12 whitespace-nowrap transition-colors disabled:opacity-50',
        isOn === true
          ? 'border-accent/60 bg-accent/10 text-text'
          : 'border-line text-muted hover:border-faint hover:text-text',
      )}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Which way the page is written: arrow keys go the way that they point. */
export function direction(): 'ltr' | 'rtl' {
  return document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr';
}
