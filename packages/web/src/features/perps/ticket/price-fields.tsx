import { add, divide, onStep } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { NumberField } from '../../../ui/number-field.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { changeDraft, isTriggerType, useDraft } from './draft.ts';

/** The prices that a kind of order has. */
export function PriceFields() {
  const t = useWords();
  const { grid } = useTradedPerp();
  const { lastPrice, limitPrice, price, steps, triggerPrice, type } = useDraft();
  if (type === 'market') return null;
  const isTrigger = isTriggerType(type);
  return (
    <div className="flex flex-col gap-2">
      {isTrigger && (
        <NumberField
          label={t('perps.ticket.triggerPrice')}
          value={triggerPrice}
          step={grid.tick}
          onChange={(value) => changeDraft({ triggerPrice: value })}
        />
      )}
      <NumberField
        label={t(
          isTrigger
            ? 'perps.ticket.limitPrice'
            : type === 'scale'
              ? 'perps.ticket.firstPrice'
              : 'perps.ticket.price',
        )}
        value={isTrigger ? limitPrice : price}
        step={grid.tick}
        placeholder={isTrigger ? t('perps.ticket.atMarket') : undefined}
        onChange={(value) => changeDraft(isTrigger ? { limitPrice: value } : { price: value })}
      />
      {type === 'limit' && <QuickPrices />}
      {type === 'scale' && (
        <>
          <NumberField
            label={t('perps.ticket.lastPrice')}
            value={lastPrice}
            step={grid.tick}
            onChange={(value) => changeDraft({ lastPrice: value })}
          />
          <NumberField
            label={t('perps.ticket.steps')}
            value={steps}
            step="1"
            min="2"
            onChange={(value) => changeDraft({ steps: value })}
          />
        </>
      )}
    </div>
  );
}

function QuickPrices() {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const { ask, bid } = books.use({ coin }, ({ book }) => ({
    bid: book?.levels[0][0]?.px,
    ask: book?.levels[1][0]?.px,
  }));
  const middle =
    bid === undefined || ask === undefined
      ? undefined
      : onStep(divide(add(bid, ask), '2') ?? bid, grid.tick, 'down');
  const quick = [
    ['bid', bid],
    ['mid', middle],
    ['ask', ask],
  ] as const;
  return (
    <div className="flex items-center gap-3 text-12 text-muted">
      {quick.map(([name, value]) => (
        <button
          key={name}
          type="button"
          disabled={value === undefined}
          title={value === undefined ? undefined : number(value)}
          onClick={() => value !== undefined && changeDraft({ price: value })}
          className="rounded hover:text-text disabled:opacity-50 max-tablet:h-9 max-tablet:px-2"
        >
          {t(`perps.ticket.${name}`)}
        </button>
      ))}
      <span className="ms-auto text-11">{t('perps.ticket.tick', { tick: number(grid.tick) })}</span>
    </div>
  );
}
