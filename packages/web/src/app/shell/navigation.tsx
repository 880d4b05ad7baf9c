import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { useWords, type Words } from '../../lib/words.ts';

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

const PATHS: Readonly<Record<string, string>> = {
  '/': 'M2.5 4.5h13M2.5 9h13M2.5 13.5h13',
  '/trade': 'M5 2.5v3M5 12.5v3M3.5 5.5h3v7h-3zM13 1.5v4M13 10.5v4M11.5 5.5h3v5h-3z',
  '/events': 'M2.5 15.5v-5M7 15.5v-9M11.5 15.5V9M16 15.5V2.5',
  '/portfolio': 'M2.5 5.5h13v10h-13zM6 5.5v-3h6v3',
  '/explorer': 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM12 12l4 4',
};

function NavigationIcon({ to }: { readonly to: string }) {
  const path = PATHS[to] ?? PATHS[`/${to.split('/')[1] ?? ''}`];
  if (path === undefined) return null;
  return (
    <svg viewBox="0 0 18 18" className="w-4.5" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}

type Destination = { readonly to: string; readonly label: string; readonly isHere: boolean };

/** Where the header leads, in this order; a screen that is not in this build is left out. */
export function useDestinations(t: Words): readonly Destination[] {
  const { routesByPath } = useRouter();
  const { pathname } = useLocation();
  const all = [
    { to: '/', path: '/', label: t('nav.markets') },
    { to: '/trade/BTC-USDC', path: '/trade/$market', label: t('nav.trade') },
    { to: '/events', path: '/events', label: t('nav.events') },
    { to: '/portfolio', path: '/portfolio', label: t('nav.portfolio') },
    { to: '/explorer', path: '/explorer', label: t('nav.explorer') },
  ];
  return all
    .filter(({ path }) => path in routesByPath)
    .map(({ label, path, to }) => ({ to, label, isHere: isAt(path, pathname) }));
}

/** Whatever is searched there, and whichever market it is; a series is one of events. */
function isAt(path: string, pathname: string): boolean {
  const [, first = ''] = path.split('/');
  const [, here = ''] = pathname.split('/');
  return first === (here === 'series' ? 'events' : here);
}
