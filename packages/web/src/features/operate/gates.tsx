import type { Client, GateLists as Lists, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dateTime, short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Button, NumberField, Segmented, TextField } from '../../ui/controls.tsx';
import { Stat } from '../../ui/figures.tsx';
import {
  AskDialog,
  CONFIRMED,
  Facts,
  NeedsRole,
  Refusal,
  useGateLists,
  useOperation,
} from './operation.tsx';
import { personFault, personOf } from './operators.tsx';

type GatesProps = { readonly gates: readonly VenueGate[]; readonly admin: Client | undefined };

export function Gates({ gates, admin }: GatesProps) {
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

type GateModeProps = Readonly<{ gate: VenueGate; name: string; admin: Client | undefined }>;

function GateMode({ gate, name, admin }: GateModeProps) {
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

type SetModeProps = {
  readonly admin: Client;
  readonly gate: VenueGate;
  readonly next: Mode;
  readonly label: string;
  readonly done: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function SetMode({ admin, gate, next, label, done, onDone, onClose }: SetModeProps) {
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

const GATE_LISTS = ['whitelist', 'blacklist', 'accessCodes', 'grants'] as const;
type List = (typeof GATE_LISTS)[number];
type Change = Omit<SetGateParameters, 'channel'>;
type Way = 'add' | 'remove';
type Draft = { readonly address: string; readonly code: string; readonly uses: string };

const EMPTY: Draft = { address: '', code: '', uses: '1' };

type GateListsProps = {
  readonly gate: VenueGate;
  readonly isBusy: boolean;
  readonly onSet: (change: Change, done: string) => Promise<boolean>;
};

function GateLists({ gate, isBusy, onSet }: GateListsProps) {
  const t = useWords();
  const [list, setList] = useState<List>('whitelist');
  const [draft, setDraft] = useState(EMPTY);
  const { data: lists } = useGateLists(gate);
  const isThere = isOn(list, lists, { address: personOf(draft.address), count: gate[list] });
  const idle = isThere === true && list !== 'grants' ? 'add' : isThere === false && 'remove';
  const set = async (way: Way, change: Change | undefined): Promise<void> => {
    const entry = list === 'accessCodes' ? draft.code.trim() : short(draft.address.trim());
    const done = t(`operate.${way}Done.${list}`, { entry });
    if (change === undefined || !(await onSet(change, done))) return;
    setDraft((now) => (now === draft ? EMPTY : now));
  };
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <Segmented
        label={t('operate.list')}
        size="small"
        value={list}
        onChange={setList}
        segments={GATE_LISTS.map((value) => ({
          value,
          label: `${t(`operate.gateList.${value}`)} ${gate[value]}`,
        }))}
      />
      <p className="text-12 text-muted">{t(`operate.listHelp.${list}`)}</p>
      <GateEntries list={list} lists={lists} />
      <Fields list={list} draft={draft} onChange={setDraft} />
      <div className="flex flex-wrap items-center gap-2">
        {(['add', 'remove'] as const).map((way) => {
          const change = changeOf(list, way, draft);
          return (
            <Button
              key={way}
              disabled={change === undefined || way === idle}
              isBusy={isBusy}
              onClick={() => void set(way, change)}
            >
              {t(`operate.${way}To.${list}`)}
            </Button>
          );
        })}
        {isThere !== undefined && (
          <span className="text-12 text-muted">
            {t(isThere ? 'operate.isThere' : 'operate.isNotThere')}
          </span>
        )}
      </div>
    </div>
  );
}

type FieldsProps = Readonly<{ list: List; draft: Draft; onChange: (draft: Draft) => void }>;

function Fields({ list, draft, onChange }: FieldsProps) {
  const t = useWords();
  const { address, code, uses } = draft;
  return (
    <div className="grid items-end gap-3 tablet:grid-cols-2">
      {list !== 'accessCodes' && (
        <div className={list === 'grants' ? '' : 'tablet:col-span-2'}>
          <TextField
            label={t('operate.address')}
            value={address}
            placeholder="0x…"
            isCode
            fault={personFault(address, t)}
            onChange={(next) => onChange({ ...draft, address: next })}
          />
        </div>
      )}
      {(list === 'accessCodes' || list === 'grants') && (
        <TextField
          label={t('operate.code')}
          value={code}
          maxLength={64}
          onChange={(next) => onChange({ ...draft, code: next })}
        />
      )}
      {list === 'accessCodes' && (
        <NumberField
          label={t('operate.uses')}
          value={uses}
          step="1"
          min="1"
          onChange={(next) => onChange({ ...draft, uses: next })}
        />
      )}
    </div>
  );
}

function changeOf(list: List, way: Way, draft: Draft): Change | undefined {
  const [address, code] = [personOf(draft.address), draft.code.trim()];
  const uses = Number(draft.uses);
  if (list === 'accessCodes') {
    if (code === '') return undefined;
    if (way === 'remove') return { accessCodes: { remove: [code] } };
    const isCount = Number.isSafeInteger(uses) && uses >= 1;
    return isCount ? { accessCodes: { add: [{ code, maxUses: uses }] } } : undefined;
  }
  if (address === undefined) return undefined;
  if (list === 'grants') {
    if (way === 'remove') return { grants: { remove: [address] } };
    return code === '' ? undefined : { grants: { add: [{ user: address, code }] } };
  }
  const entry = way === 'add' ? { add: [address] } : { remove: [address] };
  return list === 'whitelist' ? { whitelist: entry } : { blacklist: entry };
}

type Entry = Readonly<{ key: string; text: string; address?: string; note?: string }>;

function GateEntries({ list, lists }: { readonly list: List; readonly lists: Lists | undefined }) {
  const t = useWords();
  if (lists === undefined) return null;
  const entries = entriesOf(list, lists, t);
  if (entries.length === 0) {
    return <p className="text-12 text-muted">{t('operate.listEmpty')}</p>;
  }
  return (
    <ul
      aria-label={t('operate.entriesOf', { list: t(`operate.gateList.${list}`) })}
      // A tab stop is required for scrolling by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="max-h-40 overflow-y-auto rounded border border-line px-3 py-1 text-12"
    >
      {entries.map(({ address, key, note, text }) => (
        <li key={key} className="flex flex-wrap justify-between gap-x-3 py-0.5">
          {address === undefined ? (
            <span className="font-mono">{text}</span>
          ) : (
            <Link
              to={`/explorer/address/${address}`}
              className="font-mono break-all text-accent hover:underline"
            >
              {text}
            </Link>
          )}
          {note !== undefined && <span className="text-muted">{note}</span>}
        </li>
      ))}
    </ul>
  );
}

function isOn(
  list: List,
  lists: Lists | undefined,
  { address, count }: { readonly address: string | undefined; readonly count: number },
): boolean | undefined {
  if (list === 'accessCodes' || lists === undefined || address === undefined) return undefined;
  const people = list === 'grants' ? lists.grants.map(({ user }) => user) : lists[list];
  if (people.includes(address)) return true;
  return people.length === count ? false : undefined;
}

function entriesOf(list: List, lists: Lists, t: Words): readonly Entry[] {
  switch (list) {
    case 'whitelist':
    case 'blacklist':
      return lists[list].map((address) => ({ key: address, text: address, address }));
    case 'accessCodes':
      return lists.accessCodes.map(({ accessCode, maxUses, uses }, index) => ({
        key: `${index} ${accessCode}`,
        text: accessCode,
        note: t('operate.usesOf', { uses, most: maxUses }),
      }));
    case 'grants':
      return lists.grants.map(({ accessCode, grantedTime, user }) => ({
        key: user,
        text: user,
        address: user,
        note: t('operate.grantOf', { code: accessCode, time: dateTime(grantedTime) }),
      }));
  }
}
