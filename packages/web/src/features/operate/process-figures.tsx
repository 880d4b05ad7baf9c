import type { VenueHealth } from '@oddlot/sdk';
import { useStore } from 'zustand';
import { number } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { connection } from '../../market/venue.ts';
import { Stat } from '../../ui/stat.tsx';
import { useHealth } from './use-status.ts';

const SECOND_MS = 1_000;

/** How the process does: is it ready, how far is it behind, who listens. */
export function ProcessFigures() {
  const t = useWords();
  const { data: health } = useHealth();
  const isLost = useStore(connection, (state) => state.status === 'lost');
  return (
    <dl className="grid min-h-[132px] grid-cols-2 gap-x-6 gap-y-4 px-4 py-4 tablet:grid-cols-3">
      {health !== undefined && (
        <>
          <Stat
            label={t('operate.height')}
            isLarge
            note={<Readiness health={health} isLost={isLost} />}
          >
            {number(String(health.height))}
          </Stat>
          <Stat label={t('operate.blockAge')} isLarge>
            {ageText(health.blockAgeMs, t)}
          </Stat>
          <Stat label={t('operate.subscribers')} isLarge>
            {number(String(socketsOf(health)))}
          </Stat>
          <Stat label={t('operate.streams')}>{number(String(health.streams))}</Stat>
          <Stat label={t('operate.waiting')}>{number(String(health.waitingCommands))}</Stat>
          <Stat label={t('operate.historyLag')}>
            {t('operate.blocks', { count: health.historyLag })}
          </Stat>
        </>
      )}
    </dl>
  );
}

function Readiness({
  health: { failing, ready },
  isLost,
}: {
  readonly health: VenueHealth;
  readonly isLost: boolean;
}) {
  const t = useWords();
  if (isLost) return <span className="text-warning">{t('header.offline')}</span>;
  if (ready && failing.length === 0) return t('operate.isReady');
  const reasons = failing.map((name) => t(`operate.failing.${name}`)).join(', ');
  return (
    <span className="text-warning" title={reasons}>
      {t(ready ? 'operate.isDegraded' : 'operate.isNotReady', { failing: reasons })}
    </span>
  );
}

function ageText(ms: number, t: Words): string {
  return ms < SECOND_MS
    ? t('operate.agoMs', { ms: Math.round(ms) })
    : t('operate.agoS', { seconds: (ms / SECOND_MS).toFixed(1) });
}

function socketsOf({ connections: { apiWs, ws, wsRtds } }: VenueHealth): number {
  return ws + apiWs + wsRtds;
}
