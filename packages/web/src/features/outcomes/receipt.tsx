import type {
  OutcomeEventMeta,
  OutcomeMarketMeta,
  OutcomeResolution,
  ResolutionFinding,
} from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { decimalsOf } from '../../lib/decimal.ts';
import { money, number, short, wholeDate } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Button } from '../../ui/controls.tsx';
import { Code, CopyButton } from '../../ui/figures.tsx';
import { ErrorSentence, useDoing } from '../../ui/states.tsx';
import { classes } from '../../ui/styles.ts';
import { lacksStrike, legName, nameOf, usePayouts } from './market-facts.ts';
import { useResolution } from './queries.ts';

type ReceiptProps = Readonly<{ event: OutcomeEventMeta | undefined; market: OutcomeMarketMeta }>;

export function Receipt({ event, market }: ReceiptProps) {
  const t = useWords();
  const { data: receipt } = useResolution(market.instrument_id);
  const { settlement_fraction: fraction, winning_outcome: winner } = market.settlement;
  return (
    <section aria-label={t('outcomes.receipt.label')} className="flex flex-col gap-3">
      <p className="text-12 text-muted">{nameOf(market, event)}</p>
      <h2 className="text-20 font-semibold">
        {winner === null
          ? t('outcomes.paid', { leg: legName(market, 'Yes'), amount: `${number(fraction)} USDC` })
          : t('outcomes.winner', { leg: legName(market, winner) })}
      </h2>
      {lacksStrike(market) && (
        <p className="text-12 text-muted">{t('outcomes.receipt.noStrike')}</p>
      )}
      <Payouts instrumentId={market.instrument_id} market={market} />
      {receipt !== undefined && receipt.resolutionStatus === 'resolved' && (
        <ReceiptFacts receipt={receipt} market={market} />
      )}
    </section>
  );
}

type PayoutsProps = { readonly instrumentId: number; readonly market: OutcomeMarketMeta };

function Payouts({ instrumentId, market }: PayoutsProps) {
  const t = useWords();
  const paid = usePayouts(instrumentId);
  if (paid.length === 0) return null;
  return (
    <ul className="rounded border border-line px-3 py-2 text-13">
      {paid.map(({ amount, outcome, sz }) => (
        <li key={outcome} className="flex justify-between gap-3">
          <span className="text-muted">
            {t('outcomes.receipt.held', { shares: number(sz), leg: legName(market, outcome) })}
          </span>
          <span className="font-semibold">
            {t('outcomes.receipt.paid', { amount: money(amount) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

type ReceiptFactsProps = Readonly<{ receipt: OutcomeResolution; market: OutcomeMarketMeta }>;

function ReceiptFacts({ receipt, market }: ReceiptFactsProps) {
  const t = useWords();
  const { inputs } = receipt;
  return (
    <>
      <dl className="flex flex-col gap-1 text-12">
        <Fact label={t('outcomes.receipt.by')}>
          {t(receipt.by === 'series' ? 'outcomes.receipt.series' : 'outcomes.receipt.operator')}
        </Fact>
        {receipt.resolvedTime !== null && (
          <Fact label={t('outcomes.receipt.when')}>{wholeDate(receipt.resolvedTime)}</Fact>
        )}
        <Fact label={t('outcomes.receipt.fraction', { leg: legName(market, 'Yes') })}>
          {`${number(receipt.settlementFraction)} USDC`}
        </Fact>
        {inputs !== null && (
          <>
            <Fact label={t('outcomes.series.strike')}>{reference(inputs.strike)}</Fact>
            <Fact label={t('outcomes.series.settle')}>{reference(inputs.settle)}</Fact>
            <Fact label={t('outcomes.receipt.samples')}>
              {`${inputs.strikeSamples.length} + ${inputs.settleSamples.length}`}
            </Fact>
          </>
        )}
        {receipt.txHash !== null && (
          <Fact label={t('outcomes.receipt.tx')}>
            <Link
              to={`/explorer/tx/${receipt.txHash}`}
              className="font-mono text-accent hover:underline"
            >
              {short(receipt.txHash)}
            </Link>
          </Fact>
        )}
        {receipt.receiptHash !== null && (
          <Fact label={t('outcomes.receipt.hash')}>
            <span className="font-mono" title={receipt.receiptHash}>
              {short(receipt.receiptHash)}
            </span>
          </Fact>
        )}
      </dl>
      {receipt.evidence !== null && receipt.evidence !== '' && (
        <div>
          <p className="text-12 text-muted">{t('outcomes.receipt.evidence')}</p>
          <p className="break-words whitespace-pre-line">{receipt.evidence}</p>
        </div>
      )}
      <Recompute receipt={receipt} />
    </>
  );
}

function Recompute({ receipt }: { readonly receipt: OutcomeResolution }) {
  const t = useWords();
  const [findings, setFindings] = useState<readonly ResolutionFinding[]>();
  const { error, isBusy, run } = useDoing();
  const command = `oddlot verify settlement --url ${location.origin} --instrument ${receipt.instrumentId}`;
  const compute = async (): Promise<void> => {
    const { recompute } = await import('./recompute.ts');
    setFindings(await recompute(receipt.instrumentId));
  };
  return (
    <div className="flex flex-col gap-2 rounded border border-line p-3">
      <p className="text-12 text-muted">{t('outcomes.receipt.yourself')}</p>
      <Code>{command}</Code>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={command} />
        <Button size="small" isBusy={isBusy} onClick={() => void run(compute)}>
          {t('outcomes.receipt.here')}
        </Button>
      </div>
      {error !== undefined && <ErrorSentence error={error} />}
      {findings !== undefined && (
        <ul role="status" className="flex flex-col gap-1 text-12">
          {findings.map(({ agrees, what }) => (
            <li key={what} className={classes('flex gap-2', !agrees && 'text-warning')}>
              <span aria-hidden="true">{agrees ? '✓' : '✗'}</span>
              {t(agrees ? 'outcomes.receipt.agrees' : 'outcomes.receipt.differs', {
                what: checkedName(what, t),
              })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const CHECKED = [
  'strike',
  'settle',
  'settlementFraction',
  'winningOutcome',
  'receiptHash',
] as const;

function checkedName(what: string, t: Words): string {
  const known = CHECKED.find((each) => each === what);
  return known === undefined ? what : t(`outcomes.receipt.checked.${known}`);
}

const REFERENCE_DECIMALS = 2;

function reference(price: string): string {
  return number(price, { decimals: Math.max(REFERENCE_DECIMALS, decimalsOf(price)) });
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-b border-line/50 py-1">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 text-end break-words">{children}</dd>
    </div>
  );
}
