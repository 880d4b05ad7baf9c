import type { Client, VenueGate } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { AskDialog, Facts } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;
type Mode = VenueGate['mode'];

/** The mode of a gate: one is chosen, which sends nothing; a button says what it would do, and asks. */
export function GateMode({
  gate: { accessCodes, channel, grants, mode, whitelist },
  name,
  admin,
}: {
  readonly gate: VenueGate;
  readonly name: string;
  readonly admin: Client | undefined;
}) {
  const t = useWords();
  const [chosen, setChosen] = useState<Mode>();
  const [isAsking, setIsAsking] = useState(false);
  const operation = useOperation();
  const next = chosen ?? mode;
  const what = t(channel === 0 ? 'operate.ofPerps' : 'operate.ofOutcomes');
  const label = t(`operate.setMode.${next}`, { what });
  const send = async (): Promise<void> => {
    const isDone = await operation.operate(
      () => admin!.exchange.venueAdmin.setGate({ channel, mode: next }, CONFIRMED),
      t(`operate.modeSet.${next}`, { name }),
    );
    if (!isDone) return;
    setIsAsking(false);
    setChosen(undefined);
  };
  return (
    <>
      <Segmented
        label={t('operate.gateOf', { name })}
        value={next}
        onChange={setChosen}
        segments={MODES.map((value) => ({
          value,
          label: t(`operate.mode.${value}`),
          isDisabled: admin === undefined,
        }))}
      />
      <p className="text-12 text-muted">{t(`operate.modeHelp.${next}`)}</p>
      {next !== mode && (
        <p className="flex flex-wrap items-center gap-3 text-12">
          <Button kind={next === 'open' ? 'accent' : 'danger'} onClick={() => setIsAsking(true)}>
            {label}
          </Button>
          <span className="text-muted">
            {t('operate.modeNow', { mode: t(`operate.mode.${mode}`) })}
          </span>
        </p>
      )}
      {isAsking && next !== mode && (
        <AskDialog
          title={label}
          description={t(`operate.modeHelp.${next}`)}
          label={label}
          isDangerous={next !== 'open'}
          operation={operation}
          onSend={() => void send()}
          onClose={() => setIsAsking(false)}
        >
          <Facts
            facts={[
              { label: t('operate.modeBefore'), value: t(`operate.mode.${mode}`) },
              { label: t('operate.modeAfter'), value: t(`operate.mode.${next}`) },
              ...(next === 'whitelist'
                ? [
                    {
                      label: t('operate.onWhitelist'),
                      value: t('operate.people', { count: whitelist }),
                    },
                  ]
                : []),
              ...(next === 'accessCode'
                ? [
                    {
                      label: t('operate.haveGrant'),
                      value: t('operate.people', { count: grants }),
                    },
                    { label: t('operate.gateList.accessCodes'), value: accessCodes },
                  ]
                : []),
            ]}
          />
          <p className="mt-3 text-12 text-muted">{t('operate.gatesHelp')}</p>
        </AskDialog>
      )}
    </>
  );
}
