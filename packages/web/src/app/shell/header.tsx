import { Link, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useStore } from 'zustand';
import { add } from '../../lib/decimal.ts';
import { explainError } from '../../lib/explain-error.ts';
import { number, percent, short } from '../../lib/format.ts';
import { LANGUAGE_TAGS, LANGUAGES } from '../../lib/languages.ts';
import { useLanguage, useWords, type Words } from '../../lib/words.ts';
import { accountStates, hasReached, useWorstUse, type MarginUse } from '../../market/account.ts';
import { showAlerts } from '../../market/alerts/alerts.ts';
import { isTestnet, useSettings } from '../../market/queries.ts';
import { connection } from '../../market/venue.ts';
import { enableTrading } from '../../session/browser-wallets.ts';
import {
  forgetView,
  restoreSession,
  useIsSessionLoaded,
  useSession,
  type Session,
} from '../../session/session.ts';
import { Button } from '../../ui/controls.tsx';
import { Badge, Money } from '../../ui/figures.tsx';
import { Menu, notify, playTone, type MenuItem } from '../../ui/overlays.tsx';
import { prefer, preferences } from '../../ui/preferences.ts';
import { loadedAhead } from '../../ui/states.tsx';
import { classes } from '../../ui/styles.ts';

/** The venue serves the documentation next to the page. */
const DOCUMENTATION = '/docs';

export function Header({ onHelp }: { readonly onHelp: () => void }) {
  const t = useWords();
  const destinations = useDestinations(t);
  const { data: settings } = useSettings();
  return (
    <header className="flex h-12 shrink-0 items-center gap-5 border-b tablet:max-desktop:gap-3 border-line px-4 max-[379px]:gap-2 max-[379px]:px-3">
      <div className="flex items-center gap-2 max-desktop:flex-col max-desktop:items-start max-desktop:gap-0">
        <Link to="/" aria-label={t('app.name')}>
          <Wordmark />
        </Link>
        {isTestnet(settings) && (
          <Badge title={t('header.testnetTitle')}>{t('header.testnet')}</Badge>
        )}
        {settings?.simulated_traders === true && (
          <span className="max-desktop:hidden">
            <Badge title={t('header.simulatedTitle')}>{t('header.simulated')}</Badge>
          </span>
        )}
      </div>
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
        <a href={DOCUMENTATION} className="text-13 text-muted hover:text-text max-desktop:hidden">
          {t('nav.docs')}
        </a>
      </nav>
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

function Wordmark() {
  return (
    <span className="text-15 font-bold tracking-tight">
      odd<span className="text-accent">lot</span>
    </span>
  );
}

function Equity() {
  const t = useWords();
  const user = useSession()?.address;
  const perp = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'perp' },
    ({ state }) => state?.marginSummary.accountValue,
  );
  const outcome = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    ({ state }) => state?.marginSummary.accountValue,
  );
  if (user === undefined || perp === undefined || outcome === undefined) return null;
  return (
    <span className="text-13 whitespace-nowrap text-muted">
      <span className="max-desktop:hidden">{t('header.equity')} </span>
      <span className="text-text">
        <Money value={add(perp, outcome)} />
      </span>
    </span>
  );
}

function Deposit() {
  const t = useWords();
  const session = useSession();
  if (session === undefined || session.kind === 'spectator') return null;
  return (
    <Link
      to="/account"
      className="flex h-8 items-center rounded border border-line bg-raised px-3 text-13 hover:border-faint max-tablet:hidden"
    >
      {t('header.deposit')}
    </Link>
  );
}

function MarginWatch() {
  const t = useWords();
  const use = useWorstUse(useSession()?.address);
  const { marginNoticeFrom, marginShownFrom } = useStore(preferences);
  const isUrgent = use !== undefined && hasReached(use, marginNoticeFrom);
  const report = useEffectEvent((): void => {
    if (use === undefined) return;
    notify({ ...wordsOf(use), tone: 'warning' });
    if (preferences.getState().hasSound) playTone();
  });
  useEffect(() => {
    if (isUrgent) report();
  }, [isUrgent]);
  if (use === undefined || !hasReached(use, marginShownFrom)) return null;
  return (
    <Link
      to="/portfolio"
      title={wordsOf(use).text}
      className="flex h-6 items-center rounded bg-warning/15 px-2 text-12 whitespace-nowrap text-warning"
    >
      {t('header.margin', { share: percent(use.share, { decimals: 0 }) })}
    </Link>
  );

  function wordsOf({ market, share }: MarginUse): Readonly<{ title: string; text: string }> {
    const words = { share: percent(share, { decimals: 1 }), market };
    return {
      title: t(market === undefined ? 'news.nearEnd' : 'news.nearEndOf', words),
      text: t('news.nearEndText', words),
    };
  }
}

/** Round trips longer than this delay orders noticeably. */
const SLOW_MS = 1_000;

function Latency() {
  const t = useWords();
  const { latencyMs, replica, status } = useStore(connection);
  const isLive = status !== 'lost';
  const isSlow = latencyMs !== undefined && latencyMs > SLOW_MS;
  return (
    <span
      title={
        replica === undefined
          ? t('header.latencyTitle')
          : t('header.latencyAt', { title: t('header.latencyTitle'), replica })
      }
      className="flex shrink-0 items-center gap-1.5 text-12 whitespace-nowrap text-muted max-desktop:hidden"
    >
      <span
        aria-hidden="true"
        className={classes(
          'size-1.5 shrink-0 rounded-full',
          !isLive || isSlow
            ? 'bg-warning'
            : status === 'open' && latencyMs !== undefined
              ? 'bg-buy'
              : 'bg-line',
        )}
      />
      {isLive && latencyMs !== undefined
        ? t(isSlow ? 'header.slow' : 'header.latency', {
            ms: number(String(Math.max(1, Math.round(latencyMs)))),
          })
        : isLive
          ? null
          : t('header.offline')}
      {replica === undefined ? null : <span className="text-faint">{replica}</span>}
    </span>
  );
}

function LooksMenu({ onHelp }: { readonly onHelp: () => void }) {
  const t = useWords();
  const { sides, theme } = useStore(preferences);
  const language = useLanguage();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('header.settings')}
          className="flex size-8 items-center justify-center rounded text-muted hover:bg-raised hover:text-text"
        >
          <svg viewBox="0 0 16 16" className="w-4" aria-hidden="true">
            <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="1.3" />
            <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
          </svg>
        </button>
      }
      items={[
        { kind: 'title', label: t('header.theme') },
        ...(['dark', 'light', 'system'] as const).map((value) => ({
          label: t(
            value === 'dark'
              ? 'header.themeDark'
              : value === 'light'
                ? 'header.themeLight'
                : 'header.themeSystem',
          ),
          isChosen: theme === value,
          onSelect: () => prefer({ theme: value }),
        })),
        { kind: 'line' },
        { kind: 'title', label: t('header.sides') },
        ...(['green-red', 'blue-orange'] as const).map((value) => ({
          label: t(value === 'green-red' ? 'header.sidesGreenRed' : 'header.sidesBlueOrange'),
          isChosen: sides === value,
          onSelect: () => prefer({ sides: value }),
        })),
        { kind: 'line' },
        { kind: 'title', label: t('header.language') },
        ...LANGUAGE_TAGS.map((tag) => ({
          label: <span lang={tag}>{LANGUAGES[tag].name}</span>,
          isChosen: language === tag,
          onSelect: () => prefer({ language: tag }),
        })),
        { kind: 'line' },
        { label: t('alerts.menu'), onSelect: () => showAlerts() },
        { label: t('help.title'), onSelect: onHelp },
        { label: t('nav.documentation'), onSelect: () => location.assign(DOCUMENTATION) },
      ]}
    />
  );
}

const ConnectDialog = loadedAhead(async () => (await import('./connect-dialog.tsx')).ConnectDialog);

function AccountMenu() {
  const t = useWords();
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  if (isOpen && !wasOpen) setWasOpen(true);
  if (!isLoaded) return <span aria-hidden="true" className="h-8 w-22" />;
  return (
    <>
      {session === undefined ? (
        <Button onClick={() => setIsOpen(true)}>{t('header.connect')}</Button>
      ) : (
        <OpenAccount session={session} onSwitch={() => setIsOpen(true)} />
      )}
      {wasOpen && <ConnectDialog isOpen={isOpen} onClose={close} />}
    </>
  );
}

function OpenAccount({ session, onSwitch }: Readonly<{ session: Session; onSwitch: () => void }>) {
  const t = useWords();
  const navigate = useNavigate();
  const { routesByPath } = useRouter();
  const { address, kind, owner, trader } = session;
  const word = t(
    kind === 'burner'
      ? 'header.testAccount'
      : kind === 'wallet'
        ? 'header.wallet'
        : 'header.spectator',
  );
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(address);
    notify({ title: t('header.copied') });
  };
  const letTrade = async (): Promise<void> => {
    await enableTrading().catch((error: unknown) => {
      notify({ title: explainError(error, t).sentence, tone: 'warning' });
    });
  };
  const links = [
    { to: '/account', label: t('nav.account') },
    { to: '/builder', label: t('nav.builder') },
    { to: '/operate', label: t('nav.operate') },
  ].filter(({ to }) => to in routesByPath);
  const items: MenuItem[] = [
    { label: t('header.copyAddress'), onSelect: () => void copy() },
    ...links.map(({ label, to }) => ({ label, onSelect: () => void navigate({ to }) })),
    ...(owner !== undefined && trader === undefined
      ? [{ label: t('header.enableTrading'), onSelect: () => void letTrade() }]
      : []),
    { kind: 'line' },
    { label: t('wallet.title'), onSelect: onSwitch },
    ...(kind === 'burner'
      ? []
      : [
          {
            label: t('header.leave'),
            onSelect: () => {
              forgetView();
              void restoreSession();
            },
          },
        ]),
  ];
  return (
    <Menu
      trigger={
        <Button>
          <span className="font-mono text-12">{short(address)}</span>
          <span className="text-muted max-desktop:hidden">· {word}</span>
        </Button>
      }
      items={items}
    />
  );
}

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

function useDestinations(t: Words): readonly Destination[] {
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

function isAt(path: string, pathname: string): boolean {
  const [, first = ''] = path.split('/');
  const [, here = ''] = pathname.split('/');
  return first === (here === 'series' ? 'events' : here);
}
