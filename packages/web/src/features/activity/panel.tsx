import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';

type PanelProps = Readonly<{ title: string; aside?: ReactNode; children: ReactNode }>;

export function Panel({ title, aside, children }: PanelProps) {
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

const SCREENS = [
  { to: '/activity', title: 'activity.title' },
  { to: '/leaderboard', title: 'activity.board.title' },
] as const;

export function Heading({ at }: { readonly at: (typeof SCREENS)[number]['to'] }) {
  const t = useWords();
  const { data } = useSettings();
  const shown = SCREENS.filter(({ to }) => to === at || to === '/activity' || hasBoard(data));
  return (
    <div className="flex h-12 shrink-0 items-center gap-5 border-b border-line px-4 text-15">
      {shown.map(({ title, to }) =>
        to === at ? (
          <h1 key={to} className="font-semibold">
            {t(title)}
          </h1>
        ) : (
          <Link key={to} to={to} className="text-muted hover:text-text">
            {t(title)}
          </Link>
        ),
      )}
    </div>
  );
}

function hasBoard(settings: { readonly has_leaderboard: boolean } | undefined): boolean {
  return settings?.has_leaderboard === true;
}
