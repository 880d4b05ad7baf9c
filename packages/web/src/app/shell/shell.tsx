import { Outlet, useRouter } from '@tanstack/react-router';
import { Fragment, useEffect, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { clockTime, short } from '../../lib/format.ts';
import { useLanguage, useWords } from '../../lib/words.ts';
import { openAlerts, showAlerts, useAlerts, useShownAlerts } from '../../market/alerts/alerts.ts';
import { quickTrade } from '../../market/events/quick-trade.ts';
import { connection, tryNow, type Connection } from '../../market/venue.ts';
import {
  forgetView,
  restoreSession,
  useIsSessionLoaded,
  useSession,
} from '../../session/session.ts';
import { Button } from '../../ui/controls.tsx';
import { SkipLink, useHotkey } from '../../ui/keyboard.tsx';
import { Toasts } from '../../ui/overlays.tsx';
import { loadedAhead, loadAheadSoon, onDemand } from '../../ui/states.tsx';
import { BottomBar, Header } from './header.tsx';

const AccountNews = onDemand(async () => (await import('./account-news.tsx')).AccountNews);
const HelpDialog = loadedAhead(async () => (await import('./help-dialog.tsx')).HelpDialog);

export function Shell() {
  const t = useWords();
  const language = useLanguage();
  const hasAccount = useSession() !== undefined;
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useHotkey('?', () => setIsHelpOpen(true));
  useFocusOnArrival();
  useEffect(() => {
    if (hasAccount) loadAheadSoon();
  }, [hasAccount]);
  return (
    <div className="flex h-full flex-col bg-panel">
      <SkipLink to="screen">{t('app.skip')}</SkipLink>
      <Header onHelp={() => setIsHelpOpen(true)} />
      <ConnectionBanner />
      <LookingOn />
      <main id="screen" className="min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {/* A new key recreates cached figures in the new language. */}
        <Fragment key={language}>
          <Outlet />
        </Fragment>
      </main>
      <Toasts />
      <BottomBar />
      {hasAccount && <AccountNews />}
      <Quick />
      {isHelpOpen && <HelpDialog isOpen onClose={() => setIsHelpOpen(false)} />}
      <Alerts />
    </div>
  );
}

const QuickTicket = loadedAhead(
  async () => (await import('../../features/outcomes/quick-ticket.tsx')).QuickTicket,
);

function Quick() {
  const isOpen = useStore(quickTrade, ({ open }) => open !== undefined);
  const [wasOpen, setWasOpen] = useState(false);
  if (isOpen && !wasOpen) setWasOpen(true);
  return wasOpen ? <QuickTicket /> : null;
}

function useFocusOnArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        const main = document.querySelector<HTMLElement>('main#screen');
        const at = document.activeElement;
        const isInUse = at !== null && (main?.contains(at) || at.closest('[role=dialog]') !== null);
        if (fromLocation !== undefined && pathChanged && !isInUse) {
          main?.focus({ preventScroll: true });
        }
      }),
    [router],
  );
}

const TICK_MS = 250;

function ConnectionBanner() {
  const t = useWords();
  const state = useStore(connection);
  const isLost = state.status === 'lost';
  const nowMs = useTick(isLost || state.limitedUntilMs !== undefined);
  const isLimited = (state.limitedUntilMs ?? 0) > nowMs;
  useEffect(() => {
    document.documentElement.toggleAttribute('data-stale', isLost);
  }, [isLost]);
  if (isLost) {
    const time = clockTime(state.lostSinceMs ?? nowMs);
    const isOffline = !navigator.onLine;
    return (
      <Line
        sentence={
          state.wasOpen
            ? t(isOffline ? 'connection.offline' : 'connection.lost', { time })
            : t(isOffline ? 'connection.neverOffline' : 'connection.never')
        }
        countdown={untilNext(state, nowMs)}
      >
        <button
          type="button"
          onClick={tryNow}
          className="shrink-0 font-medium underline underline-offset-2"
        >
          {t('connection.now')}
        </button>
      </Line>
    );
  }
  if (!isLimited) return null;
  const seconds = secondsUntil(state.limitedUntilMs, nowMs);
  return (
    <Line
      sentence={t('connection.limited')}
      countdown={t('connection.limitedFor', { seconds: Math.max(1, seconds ?? 1) })}
    />
  );

  function untilNext({ nextTryMs }: Connection, now: number): string {
    const left = secondsUntil(nextTryMs, now);
    return left === undefined || left === 0
      ? t('connection.trying')
      : t('connection.next', { seconds: left });
  }
}

type LineProps = Readonly<{ sentence: string; countdown: string; children?: ReactNode }>;

function Line({ sentence, countdown, children }: LineProps) {
  return (
    <div className="flex min-h-7 shrink-0 flex-wrap items-center justify-center gap-x-3 border-b border-warning/40 bg-warning/8 px-4 py-1 text-12 text-warning">
      <span role="status">{sentence}</span>
      {/* Screen readers announce the status once instead of every second. */}
      <span aria-hidden="true" className="min-w-24 tabular-nums">
        {countdown}
      </span>
      {children}
    </div>
  );
}

function secondsUntil(untilMs: number | undefined, nowMs: number): number | undefined {
  return untilMs === undefined ? undefined : Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
}

function useTick(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return nowMs;
}

function LookingOn() {
  const t = useWords();
  const session = useSession();
  if (session?.kind !== 'spectator') return null;
  const leave = (): void => {
    forgetView();
    void restoreSession();
  };
  return (
    <div
      role="status"
      className="flex min-h-9 flex-wrap items-center justify-center gap-x-3 border-b border-line bg-raised px-4 py-1 text-12"
    >
      <span>
        {t('header.lookingOnAs')}{' '}
        <span className="font-mono" title={session.address}>
          {short(session.address)}
        </span>
        <span className="text-muted"> · {t('header.readOnly')}</span>
      </span>
      <Button size="small" onClick={leave}>
        {t('header.leave')}
      </Button>
    </div>
  );
}

const AlertsDialog = loadedAhead(
  async () => (await import('../alerts/alerts-dialog.tsx')).AlertsDialog,
);
const AlertWatch = onDemand(async () => (await import('../alerts/alert-watch.tsx')).AlertWatch);

function Alerts() {
  const user = useSession()?.address;
  const isSessionLoaded = useIsSessionLoaded();
  const { endMinutes, hasFills, marginFrom, rows } = useAlerts();
  const { isOpen } = useShownAlerts();
  useHotkey('a', () => showAlerts());
  useEffect(() => {
    if (isSessionLoaded) openAlerts(user);
  }, [isSessionLoaded, user]);
  const hasSome = rows.length > 0 || hasFills || [endMinutes, marginFrom].some(Boolean);
  return (
    <>
      {hasSome && <AlertWatch />}
      {isOpen && <AlertsDialog />}
    </>
  );
}
