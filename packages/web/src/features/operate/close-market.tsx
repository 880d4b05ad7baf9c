import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { number } from '../../lib/format.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { AskDialog, Facts } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

/** Closes a market before its time. It never opens again, and holders wait for its result. */
export function CloseMarket({
  deployer,
  market,
  onClose,
}: {
  readonly deployer: Client;
  readonly market: OutcomeMarketMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const operation = useOperation();
  const { end_time: ends, instrument_id: id, open_interest: pairs, question } = market;
  const close = async (): Promise<void> => {
    const isDone = await operation.operate(
      () =>
        deployer.exchange.outcomeDeploy.setTrading(
          { instrumentIds: [id], state: 'close' },
          CONFIRMED,
        ),
      t('operate.set.close', { question }),
    );
    if (isDone) onClose();
  };
  return (
    <AskDialog
      title={t('operate.closeTitle')}
      description={t('operate.closeHelp')}
      label={t('operate.closeSure')}
      operation={operation}
      onSend={() => void close()}
      onClose={onClose}
    >
      <p className="mb-3 break-words">{question}</p>
      <Facts
        facts={[
          {
            label: t('operate.openInterest'),
            value: t('operate.pairs', { size: number(pairs) }),
          },
          { label: t('operate.wouldClose'), value: dateTime(ends) },
        ]}
      />
    </AskDialog>
  );
}
