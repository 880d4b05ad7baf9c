import type { ReactNode } from 'react';

/** Says what would stand here, and how to get it. */
export function EmptyState({
  title,
  text,
  action,
}: {
  readonly title: string;
  readonly text?: string | undefined;
  readonly action?: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-24 flex-col items-center justify-center gap-1 p-4 text-center">
      <p className="text-13 text-text">{title}</p>
      {text !== undefined && <p className="max-w-96 text-12 text-balance text-muted">{text}</p>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** Something is under way. What it is stands beside it. */
export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="turning size-3.5 shrink-0" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeOpacity="0.25"
        strokeWidth="2"
      />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}

/** The place of a text that is on its way, as wide as the text will be. */
export function Skeleton({ width = '6ch' }: { readonly width?: string }) {
  return (
    <span
      aria-hidden="true"
      style={{ width }}
      className="inline-block h-3 max-w-full rounded bg-raised align-middle"
    />
  );
}
