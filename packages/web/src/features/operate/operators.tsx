import type { Client, VenueStatus } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { isAddress } from '../../lib/is-address.ts';
import { NeedsRole } from './needs-role.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const ROLES = ['admins', 'deployers'] as const;
type Role = (typeof ROLES)[number];

/** Who may operate the venue. */
export function Operators({
  status,
  admin,
}: {
  readonly status: VenueStatus;
  readonly admin: Client | undefined;
}) {
  return (
    <>
      {admin === undefined && <NeedsRole who="admin" />}
      <div className="grid tablet:grid-cols-2">
        {ROLES.map((role) => (
          <People key={role} role={role} people={status[role]} admin={admin} />
        ))}
      </div>
    </>
  );
}

function People({
  role,
  people,
  admin,
}: {
  readonly role: Role;
  readonly people: readonly string[];
  readonly admin: Client | undefined;
}) {
  const t = useWords();
  const { error, isBusy, operate } = useOperation();
  const set = (change: { add: string[] } | { remove: string[] }): Promise<boolean> =>
    operate(
      () => admin!.exchange.venueAdmin.setOperators({ role, ...change }, CONFIRMED),
      t('operate.operatorsSet'),
    );
  return (
    <section
      aria-label={t(`operate.role.${role}`)}
      className="flex flex-col gap-3 border-line p-4 max-tablet:border-b tablet:not-last:border-r"
    >
      <h2 className="text-15 font-semibold">{t(`operate.role.${role}`)}</h2>
      <p className="text-12 text-muted">{t(`operate.roleHelp.${role}`)}</p>
      <ul>
        {people.map((person) => (
          <li key={person} className="flex items-center justify-between gap-3 py-1">
            <Link
              to={`/explorer/address/${person}`}
              className="min-w-0 flex-1 font-mono text-12 break-all text-accent hover:underline"
            >
              {person}
            </Link>
            {admin?.wallet?.address === person && <Badge tone="accent">{t('operate.you')}</Badge>}
            {admin !== undefined && (
              <ConfirmButton
                size="small"
                label={t('operate.remove')}
                sure={t('operate.removeSure')}
                isBusy={isBusy}
                onConfirm={() => void set({ remove: [person] })}
              />
            )}
          </li>
        ))}
      </ul>
      {people.length === 0 && <EmptyState title={t('operate.nobody')} />}
      {admin !== undefined && <Newcomer isBusy={isBusy} onAdd={(add) => set({ add: [add] })} />}
      {error !== undefined && <ErrorSentence error={error} />}
    </section>
  );
}

/** Adds somebody by an address. */
function Newcomer({
  isBusy,
  onAdd,
}: {
  readonly isBusy: boolean;
  readonly onAdd: (address: string) => Promise<boolean>;
}) {
  const t = useWords();
  const [address, setAddress] = useState('');
  const isFit = isAddress(address.trim());
  const add = async (): Promise<void> => {
    if (await onAdd(address.trim().toLowerCase())) setAddress('');
  };
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={t('operate.address')}
        value={address}
        placeholder="0x…"
        fault={address === '' || isFit ? undefined : t('operate.addressFault')}
        onChange={setAddress}
      />
      <span>
        <Button disabled={!isFit} isBusy={isBusy} onClick={() => void add()}>
          {t('operate.add')}
        </Button>
      </span>
    </div>
  );
}
