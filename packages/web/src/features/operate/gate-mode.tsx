import type { Client, VenueGate } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords, type Words } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { AskDialog, Facts } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;
type Mode = VenueGate['mode'];

/** The mode of a gate: one is chosen, which sends nothing; a button says what it would do, and asks. */
export function GateMode({
  gate,
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
  const { channel, mode } = gate;
  const next = chosen ?? mode;
  const what = t(channel === 0 ? 'operate.ofPerps' : 'operate.ofOutcomes');
  const label = t(`operate.setMode.${next}`, { what });
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
      {isAsking && next !== mode && admin !== undefined && (
        <SetMode
          admin={admin}
          gate={gate}
          next={next}
          label={label}
          done={t(`operate.modeSet.${next}`, { name })}
          onDone={() => setChosen(undefined)}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

function SetMode({
  admin,
  gate,
  next,
  label,
  done,
  onDone,
  onClose,
}: {
  readonly admin: Client;
  readonly gate: VenueGate;
  readonly next: Mode;
  readonly label: string;
  /** What is said afterwards. */
  readonly done: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const operation = useOperation();
  const { channel, mode } = gate;
  const send = async (): Promise<void> => {
    const { setGate } = admin.exchange.venueAdmin;
    if (!(await operation.operate(() => setGate({ channel, mode: next }, CONFIRMED), done))) return;
    onClose();
    onDone();
  };
  return (
    <AskDialog
      title={label}
      description={t(`operate.modeHelp.${next}`)}
      label={label}
      isDangerous={next !== 'open'}
      operation={operation}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Facts
        facts={[
          { label: t('operate.modeBefore'), value: t(`operate.mode.${mode}`) },
          { label: t('operate.modeAfter'), value: t(`operate.mode.${next}`) },
          ...admitted(gate, next, t),
        ]}
      />
      <p className="mt-3 text-12 text-muted">{t('operate.gatesHelp')}</p>
    </AskDialog>
  );
}

/** How many a mode lets in; with an empty list that is nobody. */
function admitted(
  { grants, whitelist }: VenueGate,
  next: Mode,
  t: Words,
): readonly { readonly label: string; readonly value: string }[] {
  if (next === 'whitelist') {
    return [{ label: t('operate.onWhitelist'), value: t('operate.people', { count: whitelist }) }];
  }
  if (next !== 'accessCode') return [];
  return [{ label: t('operate.haveGrant'), value: t('operate.people', { count: grants }) }];
}
