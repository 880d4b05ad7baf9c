import { add, isDecimal, roundTo } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import type { Ticket } from './draft.ts';
import { mostOf } from './most-of.ts';
import type { Typed } from './use-ticket.ts';

const MORE = ['10', '50'] as const;

/** Ways to an amount that is not typed. */
export function AmountHelp({
  ticket,
  cash,
  freeShares,
  onChange,
}: {
  readonly ticket: Ticket;
  readonly cash: string | undefined;
  readonly freeShares: string;
  readonly onChange: (part: Partial<Typed>) => void;
}) {
  const t = useWords();
  const { amount, intent, unit } = ticket;
  const most = intent === 'sell' ? freeShares : unit === 'money' ? cash : undefined;
  const told = mostOf(most, intent === 'sell' ? 'shares' : 'money');
  return (
    <div className="-mt-1 flex items-center gap-1 text-12 text-muted">
      {MORE.map((more) => (
        <Button
          key={more}
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: add(isDecimal(amount) ? amount : '0', more) })}
        >
          +{more}
        </Button>
      ))}
      {isDecimal(most) && told !== undefined && (
        <Button
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: roundTo(most, 6, 'down') })}
        >
          {t('outcomes.ticket.max', { amount: told })}
        </Button>
      )}
      {intent === 'buy' && (
        <span className="ms-auto">
          <Button
            kind="quiet"
            size="small"
            onClick={() => onChange({ unit: unit === 'money' ? 'shares' : 'money', amount: '' })}
          >
            {t(unit === 'money' ? 'outcomes.ticket.inShares' : 'outcomes.ticket.inMoney')}
          </Button>
        </span>
      )}
    </div>
  );
}
