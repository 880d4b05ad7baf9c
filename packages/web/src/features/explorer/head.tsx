import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';
import { SearchField } from './search-field.tsx';

/** The top of every screen of the explorer: where one is, and the way to anything else. */
export function Head({
  title,
  isFirst = false,
  children,
}: {
  readonly title: string;
  /** The explorer's own first screen, which leads back to nothing. */
  readonly isFirst?: boolean;
  readonly children?: ReactNode;
}) {
  const t = useWords();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        {!isFirst && (
          <Link to="/explorer" className="text-13 text-muted hover:text-text">
            {t('nav.explorer')}
            <span aria-hidden="true" className="ms-3 text-faint">
              /
            </span>
          </Link>
        )}
        <h1 className="text-20 font-semibold tabular-nums">{title}</h1>
        {children}
      </div>
      <SearchField />
    </div>
  );
}
