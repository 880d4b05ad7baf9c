import type { ReactNode } from 'react';

/** A part of the screen under its heading, with what can be chosen for it. */
export function Panel({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="min-w-0 border-b border-line">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-1">
        <h2 className="text-13 font-medium">{title}</h2>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">{aside}</div>
      </div>
      {children}
    </section>
  );
}
