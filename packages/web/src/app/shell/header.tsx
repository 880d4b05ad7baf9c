import { Link } from '@tanstack/react-router';
import { isTestnet } from '../../lib/is-testnet.ts';
import { useWords } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Deposit } from './deposit.tsx';
import { Equity } from './equity.tsx';
import { Latency } from './latency.tsx';
import { LooksMenu } from './looks-menu.tsx';
import { MarginWatch } from './margin-watch.tsx';
import { useDestinations } from './use-destinations.ts';
import { Wordmark } from './wordmark.tsx';

export function Header({ onHelp }: { readonly onHelp: () => void }) {
  const t = useWords();
  const destinations = useDestinations(t);
  const { data: settings } = useSettings();
  return (
    <header className="flex h-12 shrink-0 items-center gap-5 border-b tablet:max-desktop:gap-3 border-line px-4 max-[379px]:gap-2 max-[379px]:px-3">
      <Link to="/" aria-label={t('app.name')}>
        <Wordmark />
      </Link>
      <nav
        aria-label={t('nav.label')}
        className="flex items-center gap-5 max-tablet:hidden tablet:max-desktop:gap-3"
      >
        {destinations.map(({ isHere, label, to }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/' }}
            aria-current={isHere ? 'page' : undefined}
            className="text-13 text-muted hover:text-text aria-[current=page]:text-text"
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="flex items-center gap-2">
        {isTestnet(settings) && (
          <span className="max-[379px]:hidden tablet:max-[819px]:hidden">
            <Badge title={t('header.testnetTitle')}>{t('header.testnet')}</Badge>
          </span>
        )}
        {settings?.simulated_traders === true && (
          <span className="max-desktop:hidden">
            <Badge title={t('header.simulatedTitle')}>{t('header.simulated')}</Badge>
          </span>
        )}
      </div>
      <div className="ms-auto flex items-center gap-3 max-[379px]:gap-1">
        <Latency />
        <MarginWatch />
        <Equity />
        <Deposit />
        <LooksMenu onHelp={onHelp} />
        <AccountMenu />
      </div>
    </header>
  );
}
