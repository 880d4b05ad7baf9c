import type { ReactNode } from 'react';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { sign } from '../../../lib/decimal.ts';
import { explainRefusal } from '../../../lib/explain-error.ts';
import { cents, money, NOTHING, number, percent, usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals, sizeDecimals } from '../../../market/on-grid.tsx';
import { classes } from '../../../ui/classes.ts';
import { legName, otherLeg } from '../market-facts.ts';
import { MARKET_REST_MS } from './draft.ts';
import type { OpenTicket } from './use-ticket.ts';

/** What the order would do. The rows stay where they are, filled in or not. */
export function OrderPreview({
  market,
  open,
}: {
  readonly market: OutcomeMarketMeta;
  readonly open: OpenTicket;
}) {
  const t = useWords();
  const { draft, simulated, ticket } = open;
  const error = simulated.data?.error;
  return (
    <div
      className={classes('flex flex-col gap-2 transition-opacity', simulated.isOld && 'opacity-70')}
    >
      <Lines market={market} open={open} />
      {ticket.intent === 'buy' && <Endings market={market} open={open} />}
      {draft.fault === 'emptyBook' && (
        <p className="text-12 text-warning">{t('outcomes.preview.emptyBook')}</p>
      )}
      {draft.quote?.isWhole === false && (
        <p className="text-12 text-warning">{t('outcomes.preview.thin')}</p>
      )}
      {error !== null && error !== undefined && error.details?.required === undefined && (
        <p className="text-12 text-warning">{explainRefusal(error, t).sentence}</p>
      )}
    </div>
  );
}

type PreviewProps = { readonly market: OutcomeMarketMeta; readonly open: OpenTicket };

function Lines({ market, open: { draft, outlook, ticket } }: PreviewProps) {
  const t = useWords();
  const isBuy = ticket.intent === 'buy';
  const isMarket = ticket.kind === 'market';
  const decimals = priceDecimals(market);
  const trades = outlook !== undefined && sign(outlook.filled) > 0;
  return (
    <dl className="flex flex-col gap-1 text-12">
      <Line label={t('outcomes.preview.now')}>
        {trades
          ? t('outcomes.preview.sharesAt', {
              shares: number(outlook.filled, { decimals: sizeDecimals(market) }),
              price: cents(outlook.average, decimals + 1),
            })
          : NOTHING}
      </Line>
      {!isMarket && (
        <Line label={t('outcomes.preview.rests')}>
          {outlook === undefined
            ? NOTHING
            : t('outcomes.preview.sharesAt', {
                shares: number(outlook.resting, { decimals: sizeDecimals(market) }),
                price: cents(draft.price, decimals),
              })}
        </Line>
      )}
      <Line label={t('outcomes.preview.fee')}>{usdc(outlook?.fee)}</Line>
      {isMarket && (
        <Line label={t(isBuy ? 'outcomes.preview.atMost' : 'outcomes.preview.atLeast')}>
          {draft.price === undefined
            ? NOTHING
            : t('outcomes.preview.protected', {
                price: cents(draft.price, decimals),
                seconds: MARKET_REST_MS / 1_000,
              })}
        </Line>
      )}
      {isBuy && <Line label={t('outcomes.preview.setAside')}>{usdc(outlook?.setAside)}</Line>}
      {!isBuy && <Line label={t('outcomes.preview.youGet')}>{usdc(outlook?.total)}</Line>}
    </dl>
  );
}

/** What a purchase comes to at either end. */
function Endings({ market, open: { outlook, ticket } }: PreviewProps) {
  const t = useWords();
  const gain = outlook?.gain;
  return (
    <dl className="grid grid-cols-2 divide-x divide-line rounded border border-line">
      <Ending
        label={t('outcomes.preview.if', { leg: legName(market, ticket.leg) })}
        value={outlook?.ifRight}
        tone="text-buy"
        note={
          gain === undefined
            ? NOTHING
            : t('outcomes.preview.gain', { gain: percent(gain, { decimals: 0 }) })
        }
      />
      <Ending
        label={t('outcomes.preview.if', { leg: legName(market, otherLeg(ticket.leg)) })}
        value={outlook?.ifWrong}
        tone="text-sell"
        note={t('outcomes.preview.nothingBack')}
      />
    </dl>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-3">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="text-end">{children}</dd>
    </div>
  );
}

function Ending({
  label,
  value,
  tone,
  note,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly tone: string;
  readonly note: string;
}) {
  return (
    <div className="min-w-0 px-3 py-2">
      <dt className="truncate text-12 text-muted">{label}</dt>
      <dd>
        <span className="flex items-baseline gap-1">
          <span className={classes('text-15 font-semibold', value !== undefined && tone)}>
            {money(value, { isSigned: true })}
          </span>
          {value !== undefined && <span className="text-12 text-muted">USDC</span>}
        </span>
        <span className="block text-12 text-muted">{note}</span>
      </dd>
    </div>
  );
}
