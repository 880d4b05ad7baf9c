import type { SettlementHealth } from '@oddlot/sdk';
import { magnitude, sign } from '../../lib/decimal.ts';
import { money, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { Money } from '../../ui/figure.tsx';
import { Stat } from '../../ui/stat.tsx';
import { useHealth, useReserves } from './use-status.ts';

/** The settlement chain: how it is followed, and whether what is owed is there. */
export function SettlementFigures() {
  const t = useWords();
  const { data: health } = useHealth();
  if (health === undefined) return <div className="h-16" />;
  if (health.settlement === null) {
    return <p className="px-4 pt-1 pb-4 text-12 text-muted">{t('operate.noChain')}</p>;
  }
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 pt-1 pb-4 tablet:grid-cols-3">
      <ReserveFigures />
      <ChainFigures chain={health.settlement} />
    </dl>
  );
}

function ReserveFigures() {
  const t = useWords();
  const { data: reserves } = useReserves();
  const current = reserves?.current ?? undefined;
  const isShort = current !== undefined && sign(current.difference) < 0;
  const note =
    current === undefined
      ? t('operate.reservesUnread')
      : isShort
        ? t('operate.uncovered', { amount: money(magnitude(current.difference)) })
        : t('operate.covered');
  return (
    <>
      <Stat
        label={t('operate.owed')}
        note={<span className={isShort ? 'text-warning' : ''}>{note}</span>}
      >
        <Money value={current?.owed} />
      </Stat>
      <Stat label={t('operate.held')}>
        <Money value={current?.balance} />
      </Stat>
      <Stat label={t('operate.unbacked')}>
        <Money value={current?.unbacked} />
      </Stat>
    </>
  );
}

function ChainFigures({ chain }: { readonly chain: SettlementHealth }) {
  const t = useWords();
  const { chainId, current, head, paused, readTo, state } = chain;
  const isWell = state === 'ok';
  return (
    <>
      <Stat label={t('operate.bridgeState')} note={`${t('operate.chain')} ${chainId}`}>
        <span className={paused === true ? 'text-warning' : ''}>
          {t(paused === true ? 'operate.bridgePaused' : 'operate.bridgeOpen')}
        </span>
      </Stat>
      <Stat
        label={t('operate.chainRead')}
        note={
          current
            ? t('operate.chainCurrent')
            : t('operate.chainHead', { head: number(String(head)) })
        }
      >
        {number(String(readTo))}
      </Stat>
      <Stat label={t('operate.chainState')}>
        <span className={isWell ? '' : 'text-warning'}>
          {isWell ? t('operate.chainOk') : state}
        </span>
      </Stat>
    </>
  );
}
