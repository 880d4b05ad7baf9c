import type { ReactNode } from 'react';

/** A part of the screen under its heading. */
export function Section({
  id,
  title,
  className,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className={className}>
      <h2
        id={id}
        className="flex h-12 items-center border-y border-line px-4 text-15 font-semibold"
      >
        {title}
      </h2>
      {children}
    </section>
  );
}
