import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { cents, number } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { reader } from '../market/venue.ts';
import { notify } from '../ui/toast.tsx';
import { decimalsOf, isDecimal } from '../lib/decimal.ts';
import { OnGrid, SizeOnGrid } from '../market/on-grid.tsx';

/** The way from a row to the transaction that it came from. */

const LOOKS =
  'rounded underline decoration-faint decoration-dotted underline-offset-4 hover:text-text';

type OriginLinkProps = { readonly hash: string; readonly children: ReactNode };

/** By a hash: of the request, or of the block where the venue acted by itself. */
export function OriginLink({ hash, children }: OriginLinkProps) {
  const t = useWords();
  return (
    <Link to={`/explorer/tx/${hash}` as '/'} className={LOOKS}>
      <span className="heard">{t('origin.label')} </span>
      {children}
    </Link>
  );
}

export function BlockLink({ height }: { readonly height: number }) {
  return (
    <Link to={`/explorer/block/${height}` as '/'} className={LOOKS}>
      {number(String(height))}
    </Link>
  );
}

type Placed = { readonly oid: number; readonly timestamp: number };

type OrderOriginProps = {
  readonly user: string;
  readonly order: Placed;
  readonly children: ReactNode;
};

/** An order does not name its request: those of its moment are looked through for it. */
export function OrderOrigin({ user, order, children }: OrderOriginProps) {
  const t = useWords();
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const find = async (): Promise<void> => {
    setIsBusy(true);
    const hash = await requestOf(user, order).catch(() => undefined);
    setIsBusy(false);
    if (hash === undefined) notify({ title: t('origin.unknown'), tone: 'warning' });
    else await navigate({ to: `/explorer/tx/${hash}` as '/' });
  };
  return (
    <button type="button" className={LOOKS} disabled={isBusy} onClick={() => void find()}>
      <span className="heard">{t('origin.label')} </span>
      {children}
    </button>
  );
}

/** As many requests of one account in one block are looked through. */
const LOOKED_AT = 20;

async function requestOf(user: string, { oid, timestamp }: Placed): Promise<string | undefined> {
  const span = { startTime: timestamp, endTime: timestamp };
  const sent = await reader.info.txs({ user, ...span, limit: LOOKED_AT });
  const placing = sent.filter(({ action }) => action.type === 'order');
  if (placing.length === 1) return placing[0]?.hash;
  for (const { hash } of placing) {
    const { result } = await reader.info.tx({ txHash: hash });
    if (result.orders?.some((each) => each.oid === oid) === true) return hash;
  }
  // Reversals and the exits of a position come with other requests.
  return placing[0]?.hash ?? sent[0]?.hash;
}

/** What was traded: a perpetual's figures keep the decimals of its grid, shares cost cents. */
type Traded = { readonly marketType: 'perps' | 'outcome'; readonly instrumentId: number };

/** Of a share; the finest there are have one more than a cent. */
const TICK_DECIMALS = 3;

type TradedPriceProps = {
  readonly of: Traded;
  readonly value: string;
  readonly isAsTold?: boolean;
};

export function TradedPrice({ of, value, isAsTold = false }: TradedPriceProps) {
  if (of.marketType === 'outcome') {
    // An average may have more of them than a tick.
    const decimals = isDecimal(value) ? Math.max(TICK_DECIMALS, decimalsOf(value)) : undefined;
    return <span>{isAsTold ? number(value) : cents(value, decimals)}</span>;
  }
  return <OnGrid coin={String(of.instrumentId)} value={value} />;
}

type TradedSizeProps = { readonly of: Traded; readonly value: string; readonly isSigned?: boolean };

export function TradedSize({ of, value, isSigned = false }: TradedSizeProps) {
  if (of.marketType === 'outcome') return <span>{number(value, { isSigned })}</span>;
  return <SizeOnGrid coin={String(of.instrumentId)} value={value} isSigned={isSigned} />;
}
