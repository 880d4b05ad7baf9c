import { useLocation, useRouter } from '@tanstack/react-router';
import type { Words } from '../../lib/words.ts';

type Destination = {
  readonly to: string;
  readonly label: string;
  /** One is there, or behind it. */
  readonly isHere: boolean;
};

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
