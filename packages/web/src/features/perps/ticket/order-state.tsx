import type { OrderEntry, OrderResult } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import type { Sending } from './use-sending.ts';

/** What became of the order that was sent last, as the venue said it. */
export function OrderState({ sending: { isAsking, isBusy, sent } }: { readonly sending: Sending }) {
  const t = useWords();
  const { grid } = useTradedPerp();
  if (isBusy) {
    return (
      <p
        role="status"
        className={`flex items-start gap-2 text-12 ${isAsking ? 'text-warning' : 'text-muted'}`}
      >
        <span className="mt-0.5 shrink-0">
          <Spinner />
        </span>
        {t(isAsking ? 'perps.state.asking' : 'perps.state.sent')}
      </p>
    );
  }
  if (sent?.reply.status !== 'executed') return null;
  const { label, orders, reply } = sent;
  return (
    <div role="status" className="flex flex-col gap-0.5 text-12">
      <p>{label}</p>
      <ul className="text-muted">
        {reply.orders
          .filter(({ state }) => state !== 'rejected')
          .map((result) => (
            <li key={result.i}>{told(result, orders, grid.priceDecimals, t)}</li>
          ))}
      </ul>
    </div>
  );
}

/** In words; of more than one order also which of them it is. */
function told(
  { avgPx, filledSz, i, state }: OrderResult,
  orders: readonly OrderEntry[],
  decimals: number,
  t: Words,
): string {
  const fill = { size: number(filledSz), price: number(avgPx, { decimals }) };
  if (state === 'filled') return t('perps.state.filled', fill);
  if (state !== 'open') {
    return avgPx === null ? t('perps.state.ended') : t('perps.state.endedPart', fill);
  }
  const entry = orders[i];
  if (entry !== undefined && 'trigger' in entry.t) {
    const price = number(entry.t.trigger.triggerPx, { decimals });
    if (i === 0) return t('perps.state.waits', { price });
    return t(`perps.state.exit.${entry.t.trigger.tpsl}`, { price });
  }
  if (avgPx !== null) return t('perps.state.openPart', fill);
  if (entry === undefined || orders.length === 1) return t('perps.state.open');
  return t('perps.state.openAt', { size: number(entry.s), price: number(entry.p, { decimals }) });
}
