import type { Client, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { Stat } from '../../ui/stat.tsx';
import { GATE_LISTS, GateLists } from './gate-lists.tsx';
import { GateMode } from './gate-mode.tsx';
import { NeedsRole } from './needs-role.tsx';
import { CONFIRMED, useOperation } from './operation.ts';
import { Refusal } from './refusal.tsx';

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
