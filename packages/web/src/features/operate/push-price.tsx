import type { Client, PerpMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { isDecimal, sign } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

/** Gives a perp an oracle price by hand: its first one, or one while its feed is away. */
export function PushPrice({
  admin,
  perp: { index, name, priceTick },
  onClose,
}: {
  readonly admin: Client;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [price, setPrice] = useState('');
  const { error, isBusy, operate } = useOperation();
  const isFit = isDecimal(price) && sign(price) > 0;
  const push = async (): Promise<void> => {
    const prices = [{ instrumentId: index, oraclePx: price, externalPerpPx: null }];
    const isDone = await operate(
      () =>
        admin.exchange.venueAdmin.pushOracle({ prices, time: Math.floor(venueNow()) }, CONFIRMED),
      t('operate.pricePushed', { name, price: number(price) }),
    );
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={t('operate.pushPriceOf', { name })}
      description={t('operate.pushPriceHelp')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <NumberField
          label={t('operate.oraclePrice')}
          value={price}
          step={priceTick}
          unit="USDC"
          onChange={setPrice}
          onEnter={() => isFit && void push()}
        />
        {error !== undefined && <ErrorSentence error={error} />}
        <Button
          kind="accent"
          size="large"
          isWide
          isBusy={isBusy}
          disabled={!isFit}
          onClick={() => void push()}
        >
          {isFit ? t('operate.pushPriceAt', { price: number(price) }) : t('operate.pushPrice')}
        </Button>
      </div>
    </Dialog>
  );
}
