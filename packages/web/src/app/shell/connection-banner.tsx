import { useEffect, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { clockTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { connection, tryNow, type Connection } from '../../market/venue.ts';

const TICK_MS = 250;

/** A thin line as long as what is on the screen is not live, or has to wait. */
export function ConnectionBanner() {
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
        sentence={t(isOffline ? 'connection.offline' : 'connection.lost', { time })}
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

function Line({
  sentence,
  countdown,
  children,
}: {
  readonly sentence: string;
  readonly countdown: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="flex min-h-7 shrink-0 flex-wrap items-center justify-center gap-x-3 border-b border-warning/40 bg-warning/8 px-4 py-1 text-12 text-warning">
      <span role="status">{sentence}</span>
      {/* Who listens is told once, not every second. */}
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

/** The time of this machine, moving on while it matters. */
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
