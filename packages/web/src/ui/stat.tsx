import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** A number that speaks, under what it is. */
export function Stat({
  label,
  unit,
  note,
  isLarge = false,
  children,
}: {
  readonly label: string;
  /** What the number is counted in. */
  readonly unit?: string | undefined;
  /** A second line, for what belongs to it. */
  readonly note?: ReactNode;
  readonly isLarge?: boolean;
  readonly children: ReactNode;
}) {
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
