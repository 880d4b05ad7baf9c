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
