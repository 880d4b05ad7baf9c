import type { Client, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { useWords, type Words } from '../../lib/words.ts';
import { Stat } from '../../ui/stat.tsx';
import { GATE_LISTS, GateLists } from './gate-lists.tsx';
import { NeedsRole, Refusal } from './refusal.tsx';
import { CONFIRMED, useOperation } from './operation.ts';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { AskDialog, Facts } from './ask-dialog.tsx';

/** Who may take new risk, channel by channel. Cancels, reducing orders and withdrawals always pass. */
export function Gates({
  gates,
  admin,
}: {
  readonly gates: readonly VenueGate[];
  readonly admin: Client | undefined;
}) {
  const t = useWords();
  return (
    <div>
      {admin === undefined && <NeedsRole who="admin" />}
      <p className="border-b border-line px-4 py-2 text-12 text-muted">{t('operate.gatesHelp')}</p>
      <div className="grid tablet:grid-cols-2">
        {gates.map((gate) => (
          <Gate key={gate.channel} gate={gate} admin={admin} />
        ))}
      </div>
    </div>
  );
}

function Gate({ gate, admin }: { readonly gate: VenueGate; readonly admin: Client | undefined }) {
  const t = useWords();
  const { error, isBusy, operate } = useOperation();
  const { channel } = gate;
  const name = t(channel === 0 ? 'operate.channelPerps' : 'operate.channelOutcomes');
  const set = (change: Omit<SetGateParameters, 'channel'>, done: string): Promise<boolean> =>
    operate(() => admin!.exchange.venueAdmin.setGate({ channel, ...change }, CONFIRMED), done);
  return (
    <section
      aria-label={name}
      className="flex flex-col gap-3 border-line p-4 max-tablet:border-b tablet:not-last:border-e"
    >
      <h2 className="text-15 font-semibold">{name}</h2>
      <GateMode gate={gate} name={name} admin={admin} />
      {admin === undefined && (
        <dl className="grid grid-cols-4 gap-4">
          {GATE_LISTS.map((list) => (
            <Stat key={list} label={t(`operate.gateList.${list}`)}>
              {gate[list]}
            </Stat>
          ))}
        </dl>
      )}
      {admin !== undefined && <GateLists gate={gate} isBusy={isBusy} onSet={set} />}
      {error !== undefined && <Refusal error={error} />}
    </section>
  );
}

const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;
type Mode = VenueGate['mode'];

/** The mode of a gate: one is chosen, which sends nothing; a button says what it would do, and asks. */
function GateMode({
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
