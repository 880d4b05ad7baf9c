import type { Client, VenueStatus } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { short } from '../../lib/format.ts';
import { isAddress } from '../../lib/typed-text.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Button, emptied, TextField } from '../../ui/controls.tsx';
import { Badge } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AskDialog, CONFIRMED, NeedsRole, Refusal, useOperation } from './operation.tsx';

const ROLES = ['admins', 'deployers'] as const;
type Role = (typeof ROLES)[number];

type OperatorsProps = { readonly status: VenueStatus; readonly admin: Client | undefined };

export function Operators({ status, admin }: OperatorsProps) {
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

type PeopleProps = Readonly<{ role: Role; people: readonly string[]; admin: Client | undefined }>;

function People({ role, people, admin }: PeopleProps) {
  const t = useWords();
  const adding = useOperation();
  const [leaving, setLeaving] = useState<string>();
  const { setOperators } = admin?.exchange.venueAdmin ?? {};
  const add = (person: string): Promise<boolean> =>
    adding.operate(
      () => setOperators!({ role, add: [person] }, CONFIRMED),
      t(`operate.joined.${role}`, { person: short(person) }),
    );
  return (
    <section
      aria-label={t(`operate.role.${role}`)}
      className="flex flex-col gap-3 border-line p-4 max-tablet:border-b tablet:not-last:border-e"
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
              <Button
                size="small"
                aria-label={t('operate.removeOf', { person })}
                onClick={() => setLeaving(person)}
              >
                {t('operate.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {people.length === 0 && <EmptyState title={t('operate.nobody')} />}
      {admin !== undefined && <Newcomer people={people} isBusy={adding.isBusy} onAdd={add} />}
      {adding.error !== undefined && <Refusal error={adding.error} />}
      {admin !== undefined && leaving !== undefined && (
        <Removal admin={admin} role={role} person={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </section>
  );
}

type RemovalProps = Readonly<{ admin: Client; role: Role; person: string; onClose: () => void }>;

function Removal({ admin, role, person, onClose }: RemovalProps) {
  const t = useWords();
  const operation = useOperation();
  const remove = async (): Promise<void> => {
    const isDone = await operation.operate(
      () => admin.exchange.venueAdmin.setOperators({ role, remove: [person] }, CONFIRMED),
      t(`operate.left.${role}`, { person: short(person) }),
    );
    if (isDone) onClose();
  };
  return (
    <AskDialog
      title={t(`operate.removeTitle.${role}`)}
      description={t(
        admin.wallet?.address === person ? 'operate.removeYourself' : 'operate.removeHelp',
      )}
      label={t('operate.removeSure')}
      operation={operation}
      onSend={() => void remove()}
      onClose={onClose}
    >
      <p className="font-mono text-12 break-all">{person}</p>
    </AskDialog>
  );
}

type NewcomerProps = {
  readonly people: readonly string[];
  readonly isBusy: boolean;
  readonly onAdd: (address: string) => Promise<boolean>;
};

function Newcomer({ people, isBusy, onAdd }: NewcomerProps) {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const person = personOf(typed);
  const isThere = person !== undefined && people.includes(person);
  const add = async (): Promise<void> => {
    if (person !== undefined && (await onAdd(person))) setTyped(emptied(typed));
  };
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={t('operate.address')}
        value={typed}
        isCode
        placeholder="0x…"
        fault={isThere ? t('operate.isThere') : personFault(typed, t)}
        onChange={setTyped}
      />
      <span>
        <Button
          disabled={person === undefined || isThere}
          isBusy={isBusy}
          onClick={() => void add()}
        >
          {t('operate.add')}
        </Button>
      </span>
    </div>
  );
}

const ZERO = /^0x0{40}$/i;

export function personOf(typed: string): string | undefined {
  const address = typed.trim();
  return isAddress(address) && !ZERO.test(address) ? address.toLowerCase() : undefined;
}

export function personFault(typed: string, t: Words): string | undefined {
  const address = typed.trim();
  if (address === '' || personOf(address) !== undefined) return undefined;
  return t(ZERO.test(address) ? 'operate.zeroFault' : 'operate.addressFault');
}
