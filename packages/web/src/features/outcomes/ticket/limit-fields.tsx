import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { multiply } from '../../../lib/decimal.ts';
import { cents, number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { venueNow } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { lastingMs, type Draft, type Ticket } from './draft.ts';

/** The price of a limit order and how long it stays. */
export function LimitFields({
  ticket,
  draft,
  market,
  onChange,
}: {
  readonly ticket: Ticket;
  readonly draft: Draft;
  readonly market: OutcomeMarketMeta;
  readonly onChange: (part: Partial<Omit<Ticket, 'intent' | 'leg'>>) => void;
}) {
  const t = useWords();
  const step = multiply(market.price_tick, '100');
  const { nearestCents } = draft;
  return (
    <>
      <NumberField
        label={t('outcomes.ticket.price')}
        unit="¢"
        value={ticket.cents}
        step={step}
        min={step}
        onChange={(typed) => onChange({ cents: typed })}
        fault={priceFault(ticket, draft, market, t)}
      />
      {nearestCents !== undefined && (
        <div>
          <Button size="small" onClick={() => onChange({ cents: nearestCents })}>
            {t('error.useValue', { value: `${number(nearestCents)}¢` })}
          </Button>
        </div>
      )}
      <Segmented
        label={t('outcomes.ticket.life')}
        size="small"
        value={ticket.life}
        onChange={(life) => onChange({ life, isPostOnly: life === 'gtc' && ticket.isPostOnly })}
        segments={[
          { value: 'gtc', label: t('outcomes.ticket.gtc') },
          { value: '1h', label: t('outcomes.ticket.hour') },
          { value: '24h', label: t('outcomes.ticket.day') },
          { value: 'date', label: t('outcomes.ticket.date') },
        ]}
      />
      {ticket.life === 'date' && (
        <TextField
          label={t('outcomes.ticket.until')}
          type="datetime-local"
          onChange={(typed) => {
            const untilMs = Date.parse(typed);
            onChange({ untilMs: Number.isNaN(untilMs) ? undefined : untilMs });
          }}
        />
      )}
      {endsByClose(ticket, market) && (
        <p className="text-12 text-muted">
          {t('outcomes.ticket.closeEnds', { when: dateTime(market.end_time) })}
        </p>
      )}
      {ticket.life === 'gtc' && (
        <Checkbox
          label={t('outcomes.ticket.postOnly')}
          isOn={ticket.isPostOnly}
          onChange={(isPostOnly) => onChange({ isPostOnly })}
        />
      )}
    </>
  );
}

/** The market closes before the time that was chosen is over, and takes what rests along. */
function endsByClose({ life, untilMs }: Ticket, { end_time: endMs }: OutcomeMarketMeta): boolean {
  const lifeMs = lastingMs({ life, untilMs }, venueNow());
  return lifeMs !== undefined && lifeMs > endMs;
}

function priceFault(
  ticket: Ticket,
  { fault }: Draft,
  market: OutcomeMarketMeta,
  t: Words,
): string | undefined {
  if (fault === 'offTick') {
    return t('outcomes.ticket.offTick', { tick: cents(market.price_tick, priceDecimals(market)) });
  }
  return fault === 'price' && ticket.cents !== '' ? t('outcomes.ticket.badPrice') : undefined;
}
