import type { ReactNode } from 'react';

/** A figure over a smaller one that belongs to it: two columns in the width of one. */
export function Stacked({
  children,
  below,
  align = 'right',
}: {
  readonly children: ReactNode;
  readonly below: ReactNode;
  readonly align?: 'left' | 'right';
}) {
  return (
    <span
      className={`flex flex-col leading-tight ${align === 'left' ? 'items-start' : 'items-end'}`}
    >
      <span className="flex max-w-full min-w-0 items-center">{children}</span>
      <span className="flex items-center text-12 text-muted">{below}</span>
    </span>
  );
}
