import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

type ChipProps = Omit<ComponentProps<'button'>, 'className'> & {
  readonly isOn?: boolean;
};

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
