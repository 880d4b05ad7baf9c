import type { Client, PerpMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { isDecimal, sign } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { FormDialog } from './form-dialog.tsx';
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
  const [typed, setTyped] = useState('');
  // `100.` is a number that somebody may stop at.
  const price = typed.replace(/\.$/, '');
  const operation = useOperation();
  const isFit = isDecimal(price) && sign(price) > 0;
  const push = async (): Promise<void> => {
    const prices = [{ instrumentId: index, oraclePx: price, externalPerpPx: null }];
    const isDone = await operation.operate(
      () =>
        admin.exchange.venueAdmin.pushOracle({ prices, time: Math.floor(venueNow()) }, CONFIRMED),
      t('operate.pricePushed', { name, price: number(price) }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.pushPriceOf', { name })}
      description={t('operate.pushPriceHelp')}

      label={isFit ? t('operate.pushPriceAt', { price: number(price) }) : t('operate.pushPrice')}
      isReady={isFit}
      operation={operation}
      onSend={() => void push()}
      onClose={onClose}
    >
      <NumberField
        label={t('operate.oraclePrice')}
        value={typed}
        step={priceTick}
        unit="USDC"
        fault={price === '' || isFit ? undefined : t('operate.priceFault')}
        onChange={setTyped}
        onEnter={() => isFit && void push()}
      />
    </FormDialog>
  );
}
