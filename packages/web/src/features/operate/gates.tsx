import type { Client, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Stat } from '../../ui/stat.tsx';
import { GATE_LISTS, GateLists } from './gate-lists.tsx';
import { NeedsRole } from './needs-role.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;

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
  const { channel, mode } = gate;
  const name = t(channel === 0 ? 'operate.channelPerps' : 'operate.channelOutcomes');
  const set = (change: Omit<SetGateParameters, 'channel'>): Promise<boolean> =>
    operate(
      () => admin!.exchange.venueAdmin.setGate({ channel, ...change }, CONFIRMED),
      t('operate.gateSet', { name }),
    );
  return (
    <section
      aria-label={name}
      className="flex flex-col gap-3 border-line p-4 max-tablet:border-b tablet:not-last:border-r"
    >
      <h2 className="text-15 font-semibold">{name}</h2>
      <Segmented
        label={t('operate.gateOf', { name })}
        value={mode}
        onChange={(next) => void set({ mode: next })}
        segments={MODES.map((value) => ({
          value,
          label: t(`operate.mode.${value}`),
          isDisabled: admin === undefined || isBusy,
        }))}
      />
      <p className="text-12 text-muted">{t(`operate.modeHelp.${mode}`)}</p>
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
      {error !== undefined && <ErrorSentence error={error} />}
    </section>
  );
}
