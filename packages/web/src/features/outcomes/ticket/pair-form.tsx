import { useState } from 'react';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { compare, isDecimal, roundTo, sign, smaller, subtract } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { legName } from '../market-facts.ts';
import { usePurse } from '../use-purse.ts';
import { MoveMoney } from './move-money.tsx';
import { WayIn } from './way-in.tsx';

/** One USDC is a YES and a NO, and the other way round; free, and at once. */
export function PairForm({
  market,
  kind,
}: {
  readonly market: OutcomeMarketMeta;
  readonly kind: 'split' | 'merge';
}) {
  const t = useWords();
  const [amount, setAmount] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState<string>();
  const { cash, freeShares, perpCash, session } = usePurse(market.instrument_id);
  const isSplit = kind === 'split';
  const pairs = smaller(freeShares('Yes'), freeShares('No'));
  const most = isSplit ? cash : pairs;
  const isGood = isDecimal(amount) && sign(amount) > 0;
  const names = { yes: legName(market, 'Yes'), no: legName(market, 'No') };
  const words = { amount: isGood ? number(amount) : '0', ...names };
  const act = async (): Promise<void> => {
    if (session?.trader === undefined || !isGood) return;
    const entries = [{ asset: market.instrument_id, sz: amount }];
    setIsBusy(true);
    setError(undefined);
    setDone(undefined);
    try {
      const operation = isSplit ? { split: entries } : { merge: entries };
      await session.trader.exchange.outcomeOperate(operation, { confirm: 'executed' });
      setDone(t(isSplit ? 'outcomes.pair.splitDone' : 'outcomes.pair.mergeDone', words));
      setAmount('');
    } catch (fault) {
      setError(fault);
    } finally {
      setIsBusy(false);
    }
  };
  const missing = isSplit && isGood && isDecimal(cash) ? subtract(amount, cash) : '0';
  const mustMove = sign(missing) > 0 && isDecimal(perpCash) && sign(perpCash) > 0;
  const isTooMuch = isGood && isDecimal(most) && compare(amount, most) > 0 && !mustMove;
  return (
    <>
      <PairPicture isSplit={isSplit} {...names} amount={words.amount} />
      <NumberField
        label={t('outcomes.pair.pairs')}
        value={amount}
        placeholder="0"
        unit={isSplit ? 'USDC' : t('outcomes.pair.unit')}
        onChange={(typed) => {
          setError(undefined);
          setAmount(typed);
        }}
        onEnter={() => void act()}
        fault={
          isTooMuch
            ? t('outcomes.pair.tooMuch', { amount: number(roundTo(most, 2, 'down')) })
            : undefined
        }
      />
      {isDecimal(most) && (
        <div className="-mt-1">
          <Button
            kind="quiet"
            size="small"
            onClick={() => setAmount(roundTo(most, market.size_decimals, 'down'))}
          >
            {t('outcomes.ticket.max', { amount: number(roundTo(most, 2, 'down')) })}
          </Button>
        </div>
      )}
      <p className="text-12 text-muted">
        {t(isSplit ? 'outcomes.pair.splitText' : 'outcomes.pair.mergeText', words)}
      </p>
      {session?.trader === undefined ? (
        <WayIn session={session} />
      ) : mustMove && session.owner !== undefined ? (
        <MoveMoney owner={session.owner} missing={missing} perpCash={perpCash} />
      ) : (
        <Button
          kind="accent"
          size="large"
          isWide
          isBusy={isBusy}
          disabled={!isGood || isTooMuch}
          onClick={() => void act()}
        >
          {t(isSplit ? 'outcomes.pair.splitButton' : 'outcomes.pair.mergeButton', words)}
        </Button>
      )}
      {error !== undefined && <ErrorSentence error={error} />}
      {done !== undefined && (
        <p role="status" className="text-12 text-muted">
          {done}
        </p>
      )}
    </>
  );
}

/** Money on the one side, the pair on the other, and which way it goes. */
function PairPicture({
  isSplit,
  yes,
  no,
  amount,
}: {
  readonly isSplit: boolean;
  readonly yes: string;
  readonly no: string;
  readonly amount: string;
}) {
  return (
    <div
      aria-hidden="true"
      className="grid grid-cols-[1fr_auto_1fr] items-center gap-3 rounded border border-line p-3 text-13"
    >
      <span className="truncate text-center font-medium">{amount} USDC</span>
      <span className="text-15 text-muted">{isSplit ? '→' : '←'}</span>
      <span className="flex min-w-0 flex-col gap-1">
        <span className="truncate rounded bg-buy/12 px-2 py-1 text-center text-buy-strong">
          {amount} {yes}
        </span>
        <span className="truncate rounded bg-sell/12 px-2 py-1 text-center text-sell-strong">
          {amount} {no}
        </span>
      </span>
    </div>
  );
}
