import type { ReactNode } from 'react';

/** Names and what they are, one under the other. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[112px_minmax(0,1fr)] items-baseline gap-x-4 px-4 py-2 tablet:grid-cols-[176px_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

export function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <>
      <dt className="py-1 text-12 text-muted">{label}</dt>
      <dd className="min-w-0 py-1 text-13 break-words">{children}</dd>
    </>
  );
}
