import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { connection } from '../../market/venue.ts';
import { classes } from '../../ui/classes.ts';

/** Whether what is on the screen is live, and how far away the venue is. */
export function Latency() {
  const t = useWords();
  const { latencyMs, replica, status } = useStore(connection);
  const isLive = status !== 'lost';
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
          !isLive
            ? 'bg-warning'
            : status === 'open' && latencyMs !== undefined
              ? 'bg-buy'
              : 'bg-line',
        )}
      />
      {isLive && latencyMs !== undefined
        ? t('header.latency', { ms: Math.max(1, Math.round(latencyMs)) })
        : isLive
          ? null
          : t('header.offline')}
      {replica === undefined ? null : <span className="text-faint">{replica}</span>}
    </span>
  );
}
