import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { connection, reader } from '../../market/venue.ts';

const TICK_MS = 1_000;

/** A thin line as long as what is on the screen is not live. */
export function ConnectionBanner() {
  const t = useWords();
  const { lostSinceMs, status } = useStore(connection);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isLost = status === 'lost';
  useEffect(() => {
    if (!isLost) return undefined;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isLost]);
  if (!isLost) return null;
  const seconds = Math.max(0, Math.floor((nowMs - (lostSinceMs ?? nowMs)) / TICK_MS));
  return (
    <div
      role="status"
      className="flex h-7 shrink-0 items-center justify-center gap-3 border-b border-warning/40 bg-warning/10 px-4 text-12 text-warning"
    >
      <span className="truncate">{t('connection.lost', { seconds })}</span>
      <button
        type="button"
        onClick={() => reader.streams.reconnect()}
        className="font-medium underline underline-offset-2"
      >
        {t('connection.now')}
      </button>
    </div>
  );
}
