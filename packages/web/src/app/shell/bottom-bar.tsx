import { Link } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { NavigationIcon } from './navigation-icon.tsx';
import { useDestinations } from './use-destinations.ts';

/** The way round on a phone, within reach of a thumb. */
export function BottomBar() {
  const t = useWords();
  return (
    <nav
      aria-label={t('nav.label')}
      className="flex shrink-0 border-t border-line pb-[env(safe-area-inset-bottom)] tablet:hidden"
    >
      {useDestinations(t).map(({ isHere, label, to }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          aria-current={isHere ? 'page' : undefined}
          className="flex h-14 flex-1 flex-col items-center justify-center gap-1 text-11 text-muted aria-[current=page]:text-text"
        >
          <NavigationIcon to={to} />
          {label}
        </Link>
      ))}
    </nav>
  );
}
