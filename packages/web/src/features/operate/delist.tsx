import type { Client, PerpMeta } from '@oddlot/sdk';
import { multiply } from '../../lib/decimal.ts';
import { money, number } from '../../lib/format.ts';
import { hourMinute } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { tickers } from '../../market/tickers.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { AskDialog, Facts } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const ALL = { accountType: 'perp' } as const;
/** How long holders may still reduce. */
const CLOSING_MS = 3_600_000;

/** Ends a perp for everybody who holds it, after its name is typed. There is no way back. */
export function Delist({
  admin,
  perp: { baseCurrency, index, name },
  onClose,
}: {
  readonly admin: Client;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const operation = useOperation();
  const nowMs = useVenueSecond();
  const ticker = tickers.use(ALL, ({ byId }) => byId.get(index));
  const delist = async (): Promise<void> => {
    const isDone = await operation.operate(
      () => admin.exchange.venueAdmin.setPerp({ instrumentId: index, delisted: true }, CONFIRMED),
      t('operate.delisted', { name }),
    );
    if (isDone) onClose();
  };
  const held =
    ticker === undefined
      ? t('operate.noneHeld')
      : t('operate.heldOf', {
          size: number(ticker.openInterest),
          base: baseCurrency,
          value: money(multiply(ticker.openInterest, ticker.markPx)),
        });
  return (
    <AskDialog
      title={t('operate.delistOf', { name })}
      description={t('operate.delistHelp')}
      label={t('operate.delistSure', { name })}
      typed={name}
      operation={operation}
      onSend={() => void delist()}
      onClose={onClose}
    >
      <Facts
        facts={[
          { label: t('operate.openInterest'), value: held },
          { label: t('operate.closesAt'), value: hourMinute(nowMs + CLOSING_MS) },
        ]}
      />
    </AskDialog>
  );
}
