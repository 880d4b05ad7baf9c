import { add, compare, onStep, roundTo, smaller } from '../../../lib/decimal.ts';
import { money } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import type { Client } from '@oddlot/sdk';
import { doneOnce } from '../../../session/sent-once.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { useDoing } from '../../../ui/use-doing.ts';

/** Where what is needed moves with the book, in such steps: nobody wants to move each cent by itself. */
const STEP = '10';

const CENT = '0.01';

/** What to move for an order that lacks money: rounded up to a step, but no more than there is. */
function amountToMove(missing: string, free: string, step: string): string {
  return smaller(upTo(missing, step), roundTo(free, 6, 'down'));
}

function upTo(amount: string, step: string): string {
  const down = onStep(amount, step, 'down');
  return compare(down, amount) === 0 ? down : add(down, step);
}

/** Brings money from the perp sub-account, where deposits and the faucet pay to. */
export function MoveMoney({
  owner,
  missing,
  perpCash,
  step = STEP,
}: {
  readonly owner: Client;
  readonly missing: string;
  readonly perpCash: string;
  readonly step?: string | undefined;
}) {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const amount = amountToMove(missing, perpCash, step);
  const move = (): Promise<boolean> => {
    const way = { from: 'perp', to: 'outcome', amount } as const;
    return run(() =>
      doneOnce(owner, ({ exchange }) => exchange.transferBetween(way, { confirm: 'executed' })),
    );
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-12 text-muted">
        {t('outcomes.move.text', { missing: money(upTo(missing, CENT)), free: money(perpCash) })}
      </p>
      <Button kind="accent" size="large" isWide isBusy={isBusy} onClick={() => void move()}>
        {t('outcomes.move.button', { amount: money(amount) })}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}
