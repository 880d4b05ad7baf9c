import type { Client, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Stat } from '../../ui/stat.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { isAddress } from '../../lib/is-address.ts';
import { CONFIRMED, useOperation } from './operation.ts';

const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;
const COUNTS = ['whitelist', 'blacklist', 'accessCodes', 'grants'] as const;

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
      <dl className="grid grid-cols-4 gap-4">
        {COUNTS.map((list) => (
          <Stat key={list} label={t(`operate.gateList.${list}`)}>
            {gate[list]}
          </Stat>
        ))}
      </dl>
      {admin !== undefined && <Listing isBusy={isBusy} onSet={set} />}
      {error !== undefined && <ErrorSentence error={error} />}
    </section>
  );
}

/** Puts an address on a list of a gate, or takes it away. */
function Listing({
  isBusy,
  onSet,
}: {
  readonly isBusy: boolean;
  readonly onSet: (change: Omit<SetGateParameters, 'channel'>) => Promise<boolean>;
}) {
  const t = useWords();
  const [list, setList] = useState<'whitelist' | 'blacklist'>('whitelist');
  const [address, setAddress] = useState('');
  const isFit = isAddress(address.trim());
  const change = async (way: 'add' | 'remove'): Promise<void> => {
    const addresses = [address.trim().toLowerCase()];
    const entry = way === 'add' ? { add: addresses } : { remove: addresses };
    const isDone = await onSet(list === 'whitelist' ? { whitelist: entry } : { blacklist: entry });
    if (isDone) setAddress('');
  };
  return (
    <div className="flex flex-col gap-2">
      <Segmented
        label={t('operate.list')}
        size="small"
        value={list}
        onChange={setList}
        segments={(['whitelist', 'blacklist'] as const).map((value) => ({
          value,
          label: t(`operate.gateList.${value}`),
        }))}
      />
      <TextField
        label={t('operate.address')}
        value={address}
        placeholder="0x…"
        fault={address === '' || isFit ? undefined : t('operate.addressFault')}
        onChange={setAddress}
      />
      <div className="flex gap-2">
        {(['add', 'remove'] as const).map((way) => (
          <Button key={way} disabled={!isFit} isBusy={isBusy} onClick={() => void change(way)}>
            {t(`operate.${way}`)}
          </Button>
        ))}
      </div>
    </div>
  );
}
